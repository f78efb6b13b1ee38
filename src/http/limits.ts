// How much a request may contain. A request with more is refused.

export const SIZE_LIMITS = {
  headBytes: 16 * 1024, // a head has fewer bytes than this, including the empty lines before it. The same goes for a request line.
  fieldLines: 100, // of a head. Browsers send about 20.
  contentBytes: 64 * 1024, // every byte is discarded: no endpoint wants any
  framingBytes: 16 * 1024, // all chunk sizes, chunk extensions and trailers of a request together
  chunkLineBytes: 1024, // a chunk size with its extensions
};
