import { inNextTurn } from './turn.js';

/**
 * Ends a stream or a session of HTTP/2 once Node has read the frames that have arrived. Both send frames, and what a frame
 * causes runs while nghttp2 reads: it would free streams that it goes on to read, and the process would end
 * (https://nghttp2.org/documentation/programmers-guide.html#remarks, nodejs/node#39076). Only a reset with the code CANCEL
 * waits by itself.
 */
export const afterFrames = (end: () => void): void => inNextTurn(end);
