/// libcurl for Swift: its variadic calls behind fixed signatures.
///
/// Swift cannot call variadic C functions; everything else of libcurl is used directly.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Initialises the library, once for the process; false when that fails.
bool ccurl_start(void);

// curl_easy_setopt, by the type of the value.
CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value);
/// Copies `value`; NULL resets the option.
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
/// Does not copy: the list must outlive the transfer.
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// `buffer` holds at least CURL_ERROR_SIZE bytes and outlives the transfer.
CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer);

/// Takes bytes and returns how many it took; any other number than `size * count` ends the transfer.
typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);
CURLcode ccurl_set_header_sink(CURL *easy, ccurl_sink sink, void *context);
CURLcode ccurl_set_body_sink(CURL *easy, ccurl_sink sink, void *context);

/// Told the numeric address of the peer before a request is sent to it; returns CURL_PREREQFUNC_OK or _ABORT.
typedef int (*ccurl_gate)(void *context, char *remote, char *local, int remote_port, int local_port);
CURLcode ccurl_set_gate(CURL *easy, ccurl_gate gate, void *context);

/// Opens the socket of a connection; CURL_SOCKET_BAD when there is to be none.
typedef curl_socket_t (*ccurl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
CURLcode ccurl_set_opener(CURL *easy, ccurl_opener opener, void *context);

// curl_easy_getinfo, by the type of the value; 0 when it is not known.
long ccurl_get_long(CURL *easy, CURLINFO info);
int64_t ccurl_get_offset(CURL *easy, CURLINFO info);

/// Has a transfer go on whose body sink returned CURL_WRITEFUNC_PAUSE; the sink may be called within.
CURLcode ccurl_resume(CURL *easy);

// curl_multi_setopt, and the next transfer that has ended (NULL: none).
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

/// Parses `url`, relative to `base` when that is not NULL, without its fragment. NULL when it is no URL or names a
/// user; any scheme is accepted. To be freed with curl_url_cleanup.
CURLU *ccurl_url_parse(const char *url, const char *base);
/// A part of the URL; CURLUPART_PORT gives the scheme's default, CURLUPART_PATH is percent-decoded. NULL when there is
/// none. To be freed with curl_free.
char *ccurl_url_part(CURLU *url, CURLUPart part);
