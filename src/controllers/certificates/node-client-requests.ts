/**
 * Requests of node agents for the certificates by which they authenticate to the API server, and who may have theirs approved without
 * anybody looking at them.
 *
 * @module
 */
import type { Dialect } from '../../names/dialect.js';
import type { SigningRequest } from './request-controller.js';
import { nodeClientProblem } from './signer-rules.js';

/** A kind of request that is approved for whoever may create the subresource. */
export interface ApprovalRule {
  /** Subresource of the requests that its creator has to be allowed to create; it stands for a right, and is not served. */
  readonly subresource: 'selfnodeclient' | 'nodeclient';
  readonly recognizes: (request: SigningRequest) => boolean;
  /** Message of the condition. */
  readonly message: (dialect: Dialect) => string;
}

const isNodeClient = ({ object, certificateRequest }: SigningRequest): boolean =>
  nodeClientProblem(certificateRequest, object.spec.usages ?? []) === undefined;

/** The rules, in the order in which they are tried. */
export const approvalRules: readonly ApprovalRule[] = [
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
