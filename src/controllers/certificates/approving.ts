import type { Client } from '../../client/index.js';
import { definedOnly, groupName, type Dialect } from '../../foundation/index.js';
import { CertificateSigningRequest, SubjectAccessReview } from '../../kinds/index.js';
import type { Controller } from '../runtime/controller.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { requestController, type RequestAnswer, type SigningRequest } from './request-controller.js';
import { nodeClientProblem } from './signer-rules.js';

/** Options of {@link requestApprover}. */
export interface ApprovingOptions extends ReconcilerHost {
  readonly client: Client;
  readonly dialect: Dialect;
}

/**
 * Approves requests of node agents for API client certificates when a SubjectAccessReview allows the requester to
 * create the matching subresource. The requester may be granted that right later, so a recognized request that is not
 * allowed is retried.
 */
export function requestApprover(options: ApprovingOptions): Controller {
  const { client, dialect } = options;
  const reviews = client.resource(SubjectAccessReview);
  const { group, plural: resource } = CertificateSigningRequest;

  async function isAllowed(
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
      if (await isAllowed(request.requester, rule))
        return { condition: 'Approved', reason: 'AutoApproved', message: rule.message(dialect) };
    }
    return rules.length === 0 ? undefined : 'retry';
  }

  return requestController({
    ...options,
    name: 'csrapproving',
    requests: CertificateSigningRequest,
    signerNames: [dialect.signers.apiServerClientNodeAgent],
    stages: ['approval'],
    answer,
  });
}

/** Returns mutable copies of the user's attributes, which the type of a created object requires. */
function writable({ uid, groups, extra }: Omit<SigningRequest['requester'], 'username'>) {
  return definedOnly({
    groups: [...groups],
    uid,
    extra: extra && Object.fromEntries(Object.entries(extra).map(([key, values]) => [key, [...values]])),
  });
}

/** A kind of request that is approved when the requester may create a subresource. */
interface ApprovalRule {
  /** Subresource that the requester must be allowed to create. It represents a permission only and is not served. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly recognizes: (request: SigningRequest) => boolean;
  /** Message of the condition. */
  readonly message: (dialect: Dialect) => string;
}

const isNodeClient = ({ object, certificateRequest }: SigningRequest): boolean =>
  nodeClientProblem(certificateRequest, object.spec.usages ?? []) === undefined;

/** The rules, in order of evaluation. */
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
