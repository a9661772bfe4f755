import type { Client } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { definedOnly } from '../../meta/defined-only.js';
import { groupName, type Dialect } from '../../names/dialect.js';
import { CertificateSigningRequest, SubjectAccessReview } from '../../resources/index.js';
import type { Controller } from '../controller.js';
import {
  requestController,
  type RequestAnswer,
  type RequestInformer,
  type SigningRequest,
} from './request-controller.js';
import { nodeClientProblem } from './signer-rules.js';

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
  return definedOnly({
    groups: [...groups],
    uid,
    extra: extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  });
}

/** A kind of request that is approved for whoever may create the subresource. */
interface ApprovalRule {
  /** Subresource of the requests that its creator has to be allowed to create; it stands for a right, and is not served. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly recognizes: (request: SigningRequest) => boolean;
  /** Message of the condition. */
  readonly message: (dialect: Dialect) => string;
}

const isNodeClient = ({ object, certificateRequest }: SigningRequest): boolean =>
  nodeClientProblem(certificateRequest, object.spec.usages ?? []) === undefined;

/** The rules, in the order in which they are tried. */
const approvalRules: readonly ApprovalRule[] = [
  {
    subresource: 'selfnodeclient',
    recognizes: (request) =>
      request.requester.username === request.certificateRequest.subject.commonName && isNodeClient(request),
    message: ({ nodeAgentName }) =>
      `Auto approving self ${nodeAgentName} client certificate after SubjectAccessReview.`,
  },
  {
    subresource: 'nodeclient',
    recognizes: isNodeClient,
    message: ({ nodeAgentName }) => `Auto approving ${nodeAgentName} client certificate after SubjectAccessReview.`,
  },
];
