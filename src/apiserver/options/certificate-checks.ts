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
  frontProxy: matching(
    'a certificate, as { certificatePem, keyPem }, or a function that returns one',
    (value) =>
      typeof value === 'function' ||
      (typeof value === 'object' && value !== null && 'certificatePem' in value && 'keyPem' in value),
  ),
  rootAuthority: aFunction,
};
