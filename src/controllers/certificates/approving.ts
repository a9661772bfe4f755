import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { groupName, type Dialect } from '../../names/dialect.js';
import { CertificateSigningRequest, SubjectAccessReview } from '../../resources/index.js';
import type { Controller } from '../controller.js';
import { approvalRules, type ApprovalRule } from './node-client-requests.js';
import {
  requestController,
  type RequestAnswer,
  type RequestInformer,
  type SigningRequest,
} from './request-controller.js';

/** What the approver needs. */
export interface ApprovingOptions {
  readonly client: Client;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Follows the requests; shared with others. */
  readonly informer: RequestInformer;
  readonly onError: (error: unknown) => void;
}

/**
 * Approves what node agents ask the API client signer for them for, when its creator may have it: the server is asked by a
 * SubjectAccessReview. Somebody may be given that right later, so a request that is recognized and not approved is looked at again.
 */
export function requestApprover({ client, clock, dialect, informer, onError }: ApprovingOptions): Controller {
  const reviews = client.resource(SubjectAccessReview);
  const { group, plural: resource } = CertificateSigningRequest;

  async function mayCreate(
    { username, ...facts }: SigningRequest['requester'],
    { subresource }: ApprovalRule,
  ): Promise<boolean> {
    const resourceAttributes = {
      group: groupName(group, dialect),
      version: '*',
      resource,
      subresource,
      verb: 'create',
    };
    const { status } = await reviews.create({
      metadata: {},
      spec: { ...writable(facts), user: username, resourceAttributes },
    });
    return status?.allowed === true;
  }

  async function answer(request: SigningRequest): Promise<RequestAnswer | 'retry' | undefined> {
    const rules = approvalRules.filter(({ recognizes }) => recognizes(request));
    for (const rule of rules) {
      if (await mayCreate(request.requester, rule))
        return { condition: 'Approved', reason: 'AutoApproved', message: rule.message(dialect) };
    }
    return rules.length === 0 ? undefined : 'retry';
  }

  return requestController({
    name: 'csrapproving',
    client,
    clock,
    signerNames: [dialect.signers.apiServerClientNodeAgent],
    stages: ['approval'],
    informer,
    answer,
    onError,
  });
}

/** Lists of the caller's own, which a client may write into an object. */
function writable({ uid, groups, extra }: Omit<SigningRequest['requester'], 'username'>) {
  return {
    groups: [...groups],
    ...(uid === undefined ? {} : { uid }),
    ...(extra === undefined
      ? {}
      : { extra: Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])) }),
  };
}
