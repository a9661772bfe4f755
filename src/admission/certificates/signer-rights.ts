import type { UserInfo } from '../../meta/object.js';

/**
 * What somebody may do in the name of a signer: a right of its own, over the right to write the objects by which it is done. It is asked for
 * as a verb on the resource `signers` with the signer's name, or with all names of its domain (`example.com/*`).
 */
export type SignerVerb = 'approve' | 'sign' | 'attest';

/** Whether a user has a right on a signer. */
export type SignerRights = (user: UserInfo, verb: SignerVerb, signerName: string) => boolean | Promise<boolean>;
