import type { UserInfo } from '../../foundation/index.js';

/**
 * A right on a signer, in addition to the right to write the objects. It is authorized as a verb on the resource
 * `signers` with the signer's name, or with all names of its domain (`example.com/*`).
 */
export type SignerVerb = 'approve' | 'sign' | 'attest';

/** Returns whether a user has a right on a signer. */
export type SignerRights = (user: UserInfo, verb: SignerVerb, signerName: string) => boolean | Promise<boolean>;
