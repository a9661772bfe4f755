import {
  aFunction,
  anObject,
  aPositiveDuration,
  matching,
  type OptionCheck,
  type OptionChecks,
} from '../../foundation/index.js';
import type { CertificateOptions } from '../authentication/certificates.js';

const anAuthority: OptionCheck = matching(
  'an authority, as { certificatePem, keyPem }, a function that returns one, "made" or "none"',
  (value) =>
    typeof value === 'function' ||
    value === 'made' ||
    value === 'none' ||
    (typeof value === 'object' && value !== null && 'certificatePem' in value && 'keyPem' in value),
);

/** Checks `certificates`. */
export const certificateChecks: OptionChecks<CertificateOptions> = {
  authority: anAuthority,
  signers: anObject,
  duration: aPositiveDuration,
  rootAuthority: aFunction,
};
