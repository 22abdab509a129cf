#pragma once
#include <libxml2/libxml/xmlreader.h>
#include <libxml2/libxml/xmlerror.h>
