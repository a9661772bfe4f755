/**
 * Recordings of conversations with a server, and their replay without it. For Node.
 *
 * @module
 */
export { record, type RecordedServer, type RecordOptions, type Recording } from './recording.js';
export { replay, type Replay, type ReplayOptions } from './replay.js';
