/// libcurl for Swift: fixed signatures for its variadic functions.
///
/// Swift cannot call variadic C functions. It calls everything else of libcurl directly.
#pragma once
#include <curl/curl.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/// Initialises libcurl; call it once in the process. False on failure.
bool ccurl_start(void);

// curl_easy_setopt, by type of the value.
CURLcode ccurl_set_long(CURL *easy, CURLoption option, long value);
CURLcode ccurl_set_offset(CURL *easy, CURLoption option, int64_t value);
/// Copies `value`; NULL resets the option.
CURLcode ccurl_set_string(CURL *easy, CURLoption option, const char *value);
/// Does not copy; the list must outlive the transfer.
CURLcode ccurl_set_list(CURL *easy, CURLoption option, struct curl_slist *value);
/// `buffer` has at least CURL_ERROR_SIZE bytes and outlives the transfer.
CURLcode ccurl_set_error_buffer(CURL *easy, char *buffer);

/// Receives bytes and returns the number that it took. Any number but `size * count` ends the transfer.
typedef size_t (*ccurl_sink)(char *bytes, size_t size, size_t count, void *context);
CURLcode ccurl_set_header_sink(CURL *easy, ccurl_sink sink, void *context);
CURLcode ccurl_set_body_sink(CURL *easy, ccurl_sink sink, void *context);

/// Receives the numeric address of the peer before a request is sent; returns CURL_PREREQFUNC_OK or _ABORT.
typedef int (*ccurl_gate)(void *context, char *remote, char *local, int remote_port, int local_port);
CURLcode ccurl_set_gate(CURL *easy, ccurl_gate gate, void *context);

/// Opens the socket of a connection; CURL_SOCKET_BAD forbids the connection.
typedef curl_socket_t (*ccurl_opener)(void *context, curlsocktype purpose, struct curl_sockaddr *address);
CURLcode ccurl_set_opener(CURL *easy, ccurl_opener opener, void *context);

/// Fills `bytes` with the next bytes to send and returns their number; 0 at the end.
CURLcode ccurl_set_source(CURL *easy, ccurl_sink source, void *context);

// curl_easy_getinfo, by type of the value; 0 for an unknown one.
long ccurl_get_long(CURL *easy, CURLINFO info);
int64_t ccurl_get_offset(CURL *easy, CURLINFO info);

/// Resumes a transfer whose body sink returned CURL_WRITEFUNC_PAUSE. The sink may run before this returns.
CURLcode ccurl_resume(CURL *easy);

// curl_multi_setopt, and the next finished transfer with its result (NULL: none).
CURLMcode ccurl_multi_set_long(CURLM *multi, CURLMoption option, long value);
CURL *ccurl_multi_next_done(CURLM *multi, CURLcode *result);

/// Parses `url`, relative to `base` unless that is NULL, and drops its fragment. NULL for an invalid URL or one with a
/// user name; any scheme is accepted. The result must be freed with curl_url_cleanup.
CURLU *ccurl_url_parse(const char *url, const char *base);
/// A part of the URL; NULL when it is missing. CURLUPART_PORT defaults to the scheme's port, CURLUPART_PATH is
/// percent-decoded. The result must be freed with curl_free.
char *ccurl_url_part(CURLU *url, CURLUPart part);
