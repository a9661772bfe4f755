import { DerReader } from '../encoding/der-reader.js';
import { malformed } from './x509-error.js';

/** A reader of DER that throws an `X509Error` with the given words for what is malformed. */
export const derReader = (bytes: Uint8Array): DerReader => new DerReader(bytes, malformed);
