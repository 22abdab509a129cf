#pragma once

/* The part of libxml2's reader interface that is used, by its documentation (libxml2 2.9: xmlreader.h, parser.h).
   Its own headers are not included: they include ICU's, which disagree with the copy that Swift's Foundation brings,
   and the clang importer refuses two definitions of one type. The interface has been stable since 2.6. */

typedef struct _xmlTextReader *xmlTextReaderPtr;
typedef void *xmlTextReaderLocatorPtr;

typedef enum {
    XML_PARSER_SEVERITY_VALIDITY_WARNING = 1,
    XML_PARSER_SEVERITY_VALIDITY_ERROR = 2,
    XML_PARSER_SEVERITY_WARNING = 3,
    XML_PARSER_SEVERITY_ERROR = 4
} xmlParserSeverities;

typedef struct _xmlNode *xmlNodePtr;

/* xmlParserOption: no access to the network; line numbers beyond 65535. */
enum { ODOGRAPH_XML_PARSE_NONET = 1 << 11, ODOGRAPH_XML_PARSE_BIG_LINES = 1 << 22 };

typedef int (*xmlInputReadCallback)(void *context, char *buffer, int length);
typedef int (*xmlInputCloseCallback)(void *context);
typedef void (*xmlTextReaderErrorFunc)(void *context, const char *message, xmlParserSeverities severity,
                                       xmlTextReaderLocatorPtr locator);

void xmlInitParser(void);
xmlTextReaderPtr xmlReaderForIO(xmlInputReadCallback read, xmlInputCloseCallback close, void *context,
                                const char *url, const char *encoding, int options);
void xmlFreeTextReader(xmlTextReaderPtr reader);
void xmlTextReaderSetErrorHandler(xmlTextReaderPtr reader, xmlTextReaderErrorFunc handler, void *context);
int xmlTextReaderRead(xmlTextReaderPtr reader);
int xmlTextReaderNodeType(xmlTextReaderPtr reader);
int xmlTextReaderDepth(xmlTextReaderPtr reader);
int xmlTextReaderIsEmptyElement(xmlTextReaderPtr reader);
xmlNodePtr xmlTextReaderCurrentNode(xmlTextReaderPtr reader);
long xmlGetLineNo(const struct _xmlNode *node);
int xmlTextReaderGetParserLineNumber(xmlTextReaderPtr reader);
const unsigned char *xmlTextReaderConstLocalName(xmlTextReaderPtr reader);
const unsigned char *xmlTextReaderConstValue(xmlTextReaderPtr reader);
unsigned char *xmlTextReaderGetAttribute(xmlTextReaderPtr reader, const unsigned char *name);

/* A variable of function type, which Swift 6 refuses as shared state; it is never changed here. */
extern void (*xmlFree)(void *memory);
static inline void odograph_xml_free(void *memory) { xmlFree(memory); }
