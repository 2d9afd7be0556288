#pragma once
#include <string.h>
// Debian builds libxml2 with ICU, whose headers clash with those of Foundation's own ICU. Nothing used here has a
// layout that depends on it, so the include is kept out.
#include <libxml/xmlversion.h>
#undef LIBXML_ICU_ENABLED
#include <libxml/parser.h>
#include <libxml/parserInternals.h>
#include <libxml/xmlerror.h>

/* A SAX2 parser that pulls UTF-8 text through `read` and hands everything to `owner`.
 *
 * No DTD reaches it (the cleaner drops document types), so NOENT substitutes nothing but `&amp;` and its like; without
 * it libxml2 leaves `&#38;` in attribute values. HUGE lifts the limits on the size of one token and on depth, which
 * the caller enforces itself. With no CDATA handler set, CDATA arrives as text. The structured error handler of the
 * context keeps libxml2 from printing. Returns NULL when there is no memory. */
static inline xmlParserCtxtPtr visivent_xml_create(
    void *owner, xmlInputReadCallback read, startElementNsSAX2Func start, endElementNsSAX2Func end,
    charactersSAXFunc text, xmlStructuredErrorFunc error)
{
    xmlSAXHandler handler;
    xmlInitParser();
    memset(&handler, 0, sizeof handler);
    handler.initialized = XML_SAX2_MAGIC;
    handler.startElementNs = start;
    handler.endElementNs = end;
    handler.characters = text;
    handler.ignorableWhitespace = text;
    handler.serror = error;
    xmlParserCtxtPtr context = xmlCreateIOParserCtxt(&handler, owner, read, NULL, owner, XML_CHAR_ENCODING_UTF8);
    if (context != NULL)
        xmlCtxtUseOptions(
            context, XML_PARSE_RECOVER | XML_PARSE_NOENT | XML_PARSE_NONET | XML_PARSE_IGNORE_ENC | XML_PARSE_HUGE);
    return context;
}

/* Frees a parser and whatever it made. */
static inline void visivent_xml_free(xmlParserCtxtPtr context)
{
    if (context->myDoc != NULL)
        xmlFreeDoc(context->myDoc);
    xmlFreeParserCtxt(context);
}

/* The line the parser has reached, from 1; 0 once it was stopped. */
static inline int visivent_xml_line(xmlParserCtxtPtr context)
{
    return context->input != NULL ? context->input->line : 0;
}

/* Whether the error means that a start tag was broken off: its element was opened, but no end will be reported. */
static inline int visivent_xml_lost_start_tag(const xmlError *error)
{
    return error->domain == XML_FROM_PARSER && error->code == XML_ERR_GT_REQUIRED && error->str1 != NULL;
}

/* Whether it is a mere warning. */
static inline int visivent_xml_is_warning(const xmlError *error)
{
    return error->level == XML_ERR_WARNING;
}
