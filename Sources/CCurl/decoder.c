#include "CCurl.h"

#include <brotli/decode.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

struct ccurl_decoder {
    enum { GZIP, BROTLI, ZSTD } coding;
    bool at_end;
    bool ignores_rest;
    z_stream gzip;
    BrotliDecoderState *brotli;
    ZSTD_DStream *zstd;
};

ccurl_decoder *ccurl_decoder_create(const char *coding) {
    ccurl_decoder *decoder = calloc(1, sizeof *decoder);
    if (!decoder) return NULL;
    bool is_ready = false;
    if (strcmp(coding, "gzip") == 0) {
        decoder->coding = GZIP;
        is_ready = inflateInit2(&decoder->gzip, 16 + MAX_WBITS) == Z_OK;  // 16: gzip only
    } else if (strcmp(coding, "br") == 0) {
        decoder->coding = BROTLI;
        decoder->brotli = BrotliDecoderCreateInstance(NULL, NULL, NULL);
        is_ready = decoder->brotli != NULL;
    } else if (strcmp(coding, "zstd") == 0) {
        decoder->coding = ZSTD;
        decoder->zstd = ZSTD_createDStream();
        // RFC 9659: a content coding needs no window above 8 MiB; the library would allow 128.
        is_ready = decoder->zstd && !ZSTD_isError(ZSTD_DCtx_setParameter(decoder->zstd, ZSTD_d_windowLogMax, 23));
    }
    if (is_ready) return decoder;
    ccurl_decoder_free(decoder);
    return NULL;
}

void ccurl_decoder_free(ccurl_decoder *decoder) {
    if (!decoder) return;
    if (decoder->coding == GZIP) inflateEnd(&decoder->gzip);
    if (decoder->brotli) BrotliDecoderDestroyInstance(decoder->brotli);
    ZSTD_freeDStream(decoder->zstd);
    free(decoder);
}

bool ccurl_decoder_is_at_end(const ccurl_decoder *decoder) { return decoder->at_end; }

static bool step_gzip(
    ccurl_decoder *decoder, const uint8_t **input, size_t *left, uint8_t *output, size_t capacity, size_t *written) {
    z_stream *z = &decoder->gzip;
    z->next_in = (Bytef *)*input;
    z->avail_in = (uInt)*left;
    z->next_out = output;
    z->avail_out = (uInt)capacity;
    bool is_sound = true;
    while (is_sound) {
        if (decoder->at_end) {
            // RFC 1952 §2.2: members follow one another. Other bytes after the end are padding, as gzip(1) takes them.
            if (z->avail_in == 0) break;
            if (decoder->ignores_rest || *z->next_in != 0x1f) {
                decoder->ignores_rest = true;
                z->next_in += z->avail_in;
                z->avail_in = 0;
                break;
            }
            is_sound = inflateReset(z) == Z_OK;
            decoder->at_end = false;
        } else {
            int result = inflate(z, Z_NO_FLUSH);
            decoder->at_end = result == Z_STREAM_END;
            if (decoder->at_end) continue;
            // Z_BUF_ERROR: nothing left to read, or no room left to write.
            is_sound = result == Z_OK || result == Z_BUF_ERROR;
            if (result == Z_BUF_ERROR || z->avail_in == 0 || z->avail_out == 0) break;
        }
    }
    *input = z->next_in;
    *left = z->avail_in;
    *written = capacity - z->avail_out;
    return is_sound;
}

static bool step_brotli(
    ccurl_decoder *decoder, const uint8_t **input, size_t *left, uint8_t *output, size_t capacity, size_t *written) {
    if (decoder->at_end) {
        *input += *left;
        *left = 0;
        return true;
    }
    size_t room = capacity;
    BrotliDecoderResult result =
        BrotliDecoderDecompressStream(decoder->brotli, left, input, &room, &output, NULL);
    *written = capacity - room;
    decoder->at_end = result == BROTLI_DECODER_RESULT_SUCCESS;
    return result != BROTLI_DECODER_RESULT_ERROR;
}

static bool step_zstd(
    ccurl_decoder *decoder, const uint8_t **input, size_t *left, uint8_t *output, size_t capacity, size_t *written) {
    ZSTD_inBuffer in = {*input, *left, 0};
    ZSTD_outBuffer out = {output, capacity, 0};
    bool is_sound = true;
    do {
        if (decoder->at_end && in.pos == in.size) break;
        size_t result = ZSTD_decompressStream(decoder->zstd, &out, &in);
        is_sound = !ZSTD_isError(result);
        decoder->at_end = result == 0;  // a frame has ended and is flushed; another may follow
    } while (is_sound && in.pos < in.size && out.pos < out.size);
    *input += in.pos;
    *left -= in.pos;
    *written = out.pos;
    return is_sound;
}

bool ccurl_decoder_step(
    ccurl_decoder *decoder, const uint8_t **input, size_t *left, uint8_t *output, size_t capacity, size_t *written) {
    *written = 0;
    switch (decoder->coding) {
        case GZIP: return step_gzip(decoder, input, left, output, capacity, written);
        case BROTLI: return step_brotli(decoder, input, left, output, capacity, written);
        case ZSTD: return step_zstd(decoder, input, left, output, capacity, written);
    }
    return false;
}
