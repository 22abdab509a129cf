#pragma once

/* The part of libxml2's push parser that is used, by its documentation (libxml2 2.9: parser.h, xmlerror.h).
   Its own headers are not included: they include ICU's, which disagree with the copy that Swift's Foundation brings,
   and the clang importer refuses two definitions of one type. The interface has been stable since 2.6. */

typedef struct _xmlParserCtxt *xmlParserCtxtPtr;

/* xmlParserOption: no access to the network. */
enum { ODOGRAPH_XML_PARSE_NONET = 1 << 11 };

/* The value of `initialized` that says that the namespace callbacks are there. */
#define ODOGRAPH_XML_SAX2_MAGIC 0xDEEDBEAFu

typedef void (*odograph_xml_unused)(void);

/* xmlSAXHandler; callbacks that are not used have no exact type. */
typedef struct {
    void (*internalSubset)(void *context, const unsigned char *name, const unsigned char *externalID,
                           const unsigned char *systemID);
    odograph_xml_unused beforeCharacters[16];
    void (*characters)(void *context, const unsigned char *text, int length);
    void (*ignorableWhitespace)(void *context, const unsigned char *text, int length);
    odograph_xml_unused beforeInitialized[8];
    unsigned int initialized;
    void *reserved;
    void (*startElementNs)(void *context, const unsigned char *name, const unsigned char *prefix,
                           const unsigned char *uri, int namespaceCount, const unsigned char **namespaces,
                           int attributeCount, int defaultedCount, const unsigned char **attributes);
    void (*endElementNs)(void *context, const unsigned char *name, const unsigned char *prefix,
                         const unsigned char *uri);
    odograph_xml_unused structuredError;
} xmlSAXHandler;

/* The beginning of xmlError. */
typedef struct {
    int domain;
    int code;
    char *message;
    int level;
    char *file;
    int line;
} xmlErrorHead;

void xmlInitParser(void);
xmlParserCtxtPtr xmlCreatePushParserCtxt(xmlSAXHandler *handler, void *context, const char *chunk, int size,
                                         const char *filename);
int xmlCtxtUseOptions(xmlParserCtxtPtr parser, int options);
int xmlParseChunk(xmlParserCtxtPtr parser, const char *chunk, int size, int terminate);
void xmlStopParser(xmlParserCtxtPtr parser);
void xmlFreeParserCtxt(xmlParserCtxtPtr parser);
/* By the documentation these two take the parser as void *. */
int xmlSAX2GetLineNumber(xmlParserCtxtPtr parser);
xmlErrorHead *xmlCtxtGetLastError(xmlParserCtxtPtr parser);
