import { DerReader } from '../../../foundation/index.js';
import { malformed } from '../x509-error.js';

/** Returns a DER reader that throws an `X509Error` with the given text for malformed values. */
export const derReader = (bytes: Uint8Array): DerReader => new DerReader(bytes, malformed);
