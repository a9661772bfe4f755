/**
 * What approvers and signers of certificate signing requests have in common: they follow the requests, look at those that wait for
 * them, and write their answer where it belongs.
 *
 * @module
 */
import type { Client, ResourceClient } from '../../client/index.js';
import type { Clock } from '../../meta/clock.js';
import { definedOnly } from '../../meta/defined-only.js';
import type { UserInfo } from '../../meta/object.js';
import { readCertificateRequestPem, type CertificateRequest } from '../../pki/certificate-request.js';
import type { InputOf, ObjectOf } from '../../registry/definition.js';
import { CertificateSigningRequest } from '../../resources/index.js';
import { encodeBase64Text } from '../../encoding/base64.js';
import type { Controller } from '../controller.js';
import { hasReason, retryOnConflict } from '../failures.js';
import { Informer } from '../informer.js';
import { objectKey } from '../informer-cache.js';
import { WorkQueue, type WorkResult } from '../work-queue.js';

/** A CertificateSigningRequest as clients get it. */
export type CertificateSigningRequestObject = ObjectOf<typeof CertificateSigningRequest>;

/** Follows the requests. */
export type RequestInformer = Informer<CertificateSigningRequestObject>;

/** A request for a certificate, as approvers and signers look at it. */
export interface SigningRequest {
  /** The object of the API: `spec.usages`, `spec.expirationSeconds`, labels … */
  readonly object: CertificateSigningRequestObject;
  /** Who asks, as the server found out; the request itself says nothing about that. */
  readonly requester: UserInfo;
  /** What is asked for. The server has checked that it is signed with the key that it is about. */
  readonly certificateRequest: CertificateRequest;
}

/** Whom a request waits for: an approver, or its signer. Requests that are denied, failed or signed wait for nobody. */
export type RequestStage = 'approval' | 'signing';

/** What came of a request. */
export type RequestAnswer =
  /** One certificate or more as PEM, that which was asked for first. */
  | { readonly certificate: string }
  | {
      readonly condition: 'Approved' | 'Denied' | 'Failed';
      /** One word. */ readonly reason: string;
      readonly message: string;
    };

/** What an approver or signer is made of. */
export interface RequestControllerOptions {
  readonly name: string;
  readonly client: Client;
  readonly clock: Clock;
  /** Whose requests are looked at; no others are. */
  readonly signerNames: readonly string[];
  readonly stages: readonly RequestStage[];
  /** Follows the requests, where several controllers share it; default one of its own. */
  readonly informer?: RequestInformer;
  /** Answers a request; undefined leaves it as it is, until it changes; `retry` after a growing pause, as what it throws does. */
  readonly answer: (request: SigningRequest, stage: RequestStage) => Promise<RequestAnswer | 'retry' | undefined>;
  readonly onError: (error: unknown) => void;
}

type Requests = ResourceClient<CertificateSigningRequestObject, InputOf<typeof CertificateSigningRequest>>;

/** Requests that are worked on at a time. */
const CONCURRENCY = 5;
const FIRST_PAUSE_MS = 200;

/**
 * Makes a controller that answers certificate signing requests. An answer is written through the subresource that it belongs to; when
 * somebody else has written in between, once more, unless the request waits no longer: what was signed is not signed again.
 */
export function requestController(options: RequestControllerOptions): Controller {
  const { name, client, clock, signerNames, stages, answer, onError } = options;
  const requests: Requests = client.resource(CertificateSigningRequest);
  const informer = options.informer ?? ownInformer(options, requests);
  const queue = new WorkQueue<string>({
    clock,
    process: look,
    concurrency: CONCURRENCY,
    abandons: true,
    baseDelayMs: FIRST_PAUSE_MS,
    onError: (_key, error) => onError(error),
  });
  const changed = (object: CertificateSigningRequestObject): void => {
    if (isWaiting(object)) queue.add(objectKey(object));
  };
  informer.subscribe({ added: changed, updated: changed });

  function isWaiting(object: CertificateSigningRequestObject): boolean {
    const stage = stageOf(object);
    return (
      stage !== undefined &&
      stages.includes(stage) &&
      signerNames.includes(object.spec.signerName) &&
      object.metadata.deletionTimestamp === undefined
    );
  }

  async function look(key: string, signal: AbortSignal): Promise<WorkResult> {
    const object = informer.get(key);
    const stage = object === undefined ? undefined : stageOf(object);
    if (object === undefined || stage === undefined || !isWaiting(object)) return;
    const outcome = await answer(readRequest(object), stage);
    if (signal.aborted) return;
    if (outcome === 'retry') return 'retry';
    if (outcome !== undefined) await write(requests, object, stage, outcome);
  }

  return { name, informers: () => [informer], queues: [queue] };
}

function ownInformer({ signerNames, clock, onError }: RequestControllerOptions, source: Requests): RequestInformer {
  const [only] = signerNames;
  // A selector can name one signer.
  const selector = signerNames.length === 1 && only !== undefined ? { fieldSelector: `spec.signerName=${only}` } : {};
  return new Informer({ source, clock, ...selector, onError });
}

/** Whom a request waits for; undefined when it waits for nobody. */
function stageOf({ status }: CertificateSigningRequestObject): RequestStage | undefined {
  const has = (type: string): boolean => status?.conditions?.some((condition) => condition.type === type) === true;
  if (has('Denied') || has('Failed') || (status?.certificate ?? '') !== '') return undefined;
  return has('Approved') ? 'signing' : 'approval';
}

/** @throws X509Error when what is asked for cannot be read, which the server has made sure of */
function readRequest(object: CertificateSigningRequestObject): SigningRequest {
  const { username = '', uid, groups = [], extra, request } = object.spec;
  const requester = {
    username,
    groups,
    ...definedOnly({ uid, extra }),
  };
  return { object, requester, certificateRequest: readCertificateRequestPem(atob(request)) };
}

/** Writes an answer, unless the request has come further or is gone. */
async function write(
  requests: Requests,
  seen: CertificateSigningRequestObject,
  stage: RequestStage,
  answer: RequestAnswer,
): Promise<void> {
  const { name = '', uid } = seen.metadata;
  let known: CertificateSigningRequestObject | undefined = seen;
  try {
    await retryOnConflict(async () => {
      const object = known ?? (await requests.get(name));
      // Whoever was faster has made another object of it.
      known = undefined;
      if (object.metadata.uid === uid && stageOf(object) === stage)
        await requests.updateSubresource(subresourceOf(answer), answered(object, answer));
    });
  } catch (error) {
    if (!hasReason(error, 'NotFound')) throw error;
  }
}

function subresourceOf(answer: RequestAnswer): 'approval' | 'status' {
  return 'certificate' in answer || answer.condition === 'Failed' ? 'status' : 'approval';
}

function answered(object: CertificateSigningRequestObject, answer: RequestAnswer): CertificateSigningRequestObject {
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
