/**
 * The common part of approvers and signers of certificate signing requests: it watches the requests, processes those
 * that wait for the controller, and writes the answers.
 *
 * @module
 */
import type { Client, ResourceClient } from '../../client/index.js';
import { decodeBase64Latin1, definedOnly, encodeBase64Text, type UserInfo } from '../../foundation/index.js';
import { CertificateSigningRequest } from '../../kinds/index.js';
import type { InputOf, ObjectOf } from '../../registry/index.js';
import { readCertificateRequestPem, type CertificateRequest } from '../../security/index.js';
import type { Controller } from '../runtime/controller.js';
import { orAbsent, retryOnConflict } from '../runtime/failures.js';
import type { ReconcilerHost } from '../runtime/keyed-reconciler.js';
import { reconciler } from '../runtime/reconciler.js';
import type { View } from '../runtime/sources.js';

/** A CertificateSigningRequest as the API returns it. */
export type CertificateSigningRequestObject = ObjectOf<typeof CertificateSigningRequest>;

/** A certificate signing request, decoded for approvers and signers. */
export interface SigningRequest {
  /** The API object, with `spec.usages`, `spec.expirationSeconds`, labels and so on. */
  readonly object: CertificateSigningRequestObject;
  /** The user who created the request, as the server authenticated it. The PKCS #10 request does not contain it. */
  readonly requester: UserInfo;
  /** The decoded PKCS #10 request. The server has verified its signature with the key that it contains. */
  readonly certificateRequest: CertificateRequest;
}

/** The decision that a request waits for. Denied, failed and signed requests have no stage. */
export type RequestStage = 'approval' | 'signing';

/** The answer to a request. */
export type RequestAnswer =
  /** One or more PEM certificates; the first is the requested one. */
  | { readonly certificate: string }
  | {
      readonly condition: 'Approved' | 'Denied' | 'Failed';
      /** A CamelCase word. */
      readonly reason: string;
      readonly message: string;
    };

/** Options of {@link requestController}. */
export interface RequestControllerOptions extends ReconcilerHost {
  readonly name: string;
  readonly client: Client;
  /** Signers whose requests are processed. */
  readonly signerNames: readonly string[];
  readonly stages: readonly RequestStage[];
  /** The requests that it follows: all, or those of a view. */
  readonly requests: typeof CertificateSigningRequest | View<typeof CertificateSigningRequest>;
  /**
   * Answers a request. Undefined ignores the request until it changes; `retry`, or a thrown error, retries it after a
   * growing pause.
   */
  readonly answer: (request: SigningRequest, stage: RequestStage) => Promise<RequestAnswer | 'retry' | undefined>;
}

type Requests = ResourceClient<CertificateSigningRequestObject, InputOf<typeof CertificateSigningRequest>>;

/** Maximum number of requests that are processed concurrently. */
const CONCURRENCY = 5;
const FIRST_PAUSE_MS = 200;

/**
 * Creates a controller that answers certificate signing requests. It writes each answer through the matching
 * subresource. After a conflict it writes the same answer again, unless the request has left its stage: nothing is
 * signed twice.
 */
export function requestController(options: RequestControllerOptions): Controller {
  const { name, client, signerNames, stages, answer } = options;
  const requests: Requests = client.resource(CertificateSigningRequest);

  function isWaiting(object: CertificateSigningRequestObject): boolean {
    const stage = stageOf(object);
    return (
      stage !== undefined &&
      stages.includes(stage) &&
      signerNames.includes(object.spec.signerName) &&
      object.metadata.deletionTimestamp === undefined
    );
  }

  return reconciler(options, {
    name,
    queue: 'certificate',
    concurrency: CONCURRENCY,
    abandons: true,
    baseDelay: FIRST_PAUSE_MS,
    kind: options.requests,
    runsOn: isWaiting,
    async reconcile(object, { signal }) {
      const stage = stageOf(object);
      if (stage === undefined || !isWaiting(object)) return;
      const outcome = await answer(readRequest(object), stage);
      if (signal.aborted) return;
      if (outcome === 'retry') return 'retry';
      if (outcome !== undefined) await write(requests, object, stage, outcome);
    },
  });
}

/** Returns the stage of a request, or undefined when it is denied, failed or signed. */
function stageOf({ status }: CertificateSigningRequestObject): RequestStage | undefined {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true;
  if (has('Denied') || has('Failed') || (status?.certificate ?? '') !== '') return undefined;
  return has('Approved') ? 'signing' : 'approval';
}

/** Decodes a request. @throws X509Error when the PKCS #10 request is invalid, which the server's validation prevents */
function readRequest(object: CertificateSigningRequestObject): SigningRequest {
  const { username = '', uid, groups = [], extra, request } = object.spec;
  const requester = { username, groups, ...definedOnly({ uid, extra }) };
  return { object, requester, certificateRequest: readCertificateRequestPem(decodeBase64Latin1(request) ?? '') };
}

/** Writes an answer, unless the request has left its stage or is deleted. */
async function write(
  requests: Requests,
  seen: CertificateSigningRequestObject,
  stage: RequestStage,
  answer: RequestAnswer,
): Promise<void> {
  const { name = '', uid } = seen.metadata;
  let known: CertificateSigningRequestObject | undefined = seen;
  const writing = retryOnConflict(async () => {
    const object = known ?? (await requests.get(name));
    // After a conflict the object must be read again.
    known = undefined;
    if (object.metadata.uid === uid && stageOf(object) === stage)
      await requests.updateSubresource(subresourceOf(answer), withAnswer(object, answer));
  });
  await orAbsent(writing);
}

function subresourceOf(answer: RequestAnswer): 'approval' | 'status' {
  return 'certificate' in answer || answer.condition === 'Failed' ? 'status' : 'approval';
}

function withAnswer(object: CertificateSigningRequestObject, answer: RequestAnswer): CertificateSigningRequestObject {
  if ('certificate' in answer)
    return { ...object, status: { ...object.status, certificate: encodeBase64Text(answer.certificate) } };
  const { condition: type, reason, message } = answer;
  return {
    ...object,
    status: {
      ...object.status,
      conditions: [...(object.status?.conditions ?? []), { type, status: 'True', reason, message }],
    },
  };
}
