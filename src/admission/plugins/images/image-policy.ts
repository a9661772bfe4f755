/**
 * The plugin ImagePolicyWebhook: a service decides about the images of pods.
 *
 * @see release 1.31, `plugin/pkg/admission/imagepolicy`
 * @module
 */
import {
  durationMs,
  groupName,
  isJsonObject,
  LruMap,
  messageOf,
  postReview,
  systemGroup,
  type Dialect,
  type JsonObject,
  type JsonValue,
  type WebhookOptions,
} from '../../../foundation/index.js';
import { Pod } from '../../../kinds/index.js';
import { defineAdmissionPlugin, type AdmissionPlugin, type RequestContext } from '../../../registry/index.js';
import { tokenDigest } from '../../../security/index.js';
import { admissionRefusal } from '../../refusal.js';
import type { ImagePolicyOptions } from './image-policy-options.js';

/** The parts of its server that the plugin needs. */
export interface ImagePolicyParts extends Pick<WebhookOptions, 'clock' | 'entropy'> {
  readonly dialect: Dialect;
}

const ALLOW_TTL_MS = 300_000;
const DENY_TTL_MS = 30_000;
const RETRY_BACKOFF_MS = 500;
/** Maximum number of cached answers, as in Kubernetes. */
const CACHE_SIZE = 1024;

/** The decision of a service about the images of a pod. */
interface ImageVerdict {
  readonly allowed: boolean;
  readonly reason: string;
  readonly auditAnnotations: readonly (readonly [key: string, value: string])[];
}

/** Creates the plugin. */
export function imagePolicyWebhook(options: ImagePolicyOptions, parts: ImagePolicyParts): AdmissionPlugin {
  const reviews = new ImageReviews(options, parts);
  const { groupSuffix } = parts.dialect;
  const auditPrefix = `imagepolicywebhook.image-policy.${groupSuffix}/`;
  const forwarded = `.image-policy.${groupSuffix}/`;
  return defineAdmissionPlugin({
    name: 'ImagePolicyWebhook',
    kinds: [Pod],
    operations: ['CREATE', 'UPDATE'],
    async validate(attributes) {
      const { object, subresource, namespace, context } = attributes;
      if (subresource !== '' && subresource !== EPHEMERAL) return;
      const annotations = Object.entries(object.metadata.annotations ?? {}).filter(([key]) => key.includes(forwarded));
      const spec = specOf(imagesOf(object.spec ?? {}, subresource), annotations, namespace);
      let verdict: ImageVerdict;
      try {
        verdict = await reviews.of(spec, context);
      } catch (error) {
        if (options.defaultAllow !== true) throw admissionRefusal(attributes, messageOf(error));
        context.annotate?.(`${auditPrefix}failed-open`, 'true');
        return;
      }
      for (const [key, value] of verdict.auditAnnotations) context.annotate?.(auditPrefix + key, value);
      if (!verdict.allowed) throw admissionRefusal(attributes, refusalText(verdict));
    },
  });
}

const EPHEMERAL = 'ephemeralcontainers';

type Containers = readonly { readonly image?: string | undefined }[];

/** The pod itself is asked for without its ephemeral containers, which have a subresource of their own. */
function imagesOf(
  spec: { [List in 'containers' | 'initContainers' | 'ephemeralContainers']?: Containers | undefined },
  subresource: string,
): readonly string[] {
  const { containers = [], initContainers = [], ephemeralContainers = [] } = spec;
  const asked = subresource === EPHEMERAL ? ephemeralContainers : [...containers, ...initContainers];
  return asked.map(({ image = '' }) => image);
}

/** Returns the spec of a review. Equal ones have the same text. */
function specOf(
  images: readonly string[],
  annotations: readonly (readonly [string, string])[],
  namespace: string,
): JsonObject {
  const sorted = [...annotations].sort(([one], [other]) => (one < other ? -1 : 1));
  return {
    ...(images.length === 0 ? {} : { containers: images.map((image) => (image === '' ? {} : { image })) }),
    ...(sorted.length === 0 ? {} : { annotations: Object.fromEntries(sorted) }),
    namespace,
  };
}

const refusalText = ({ reason }: ImageVerdict): string =>
  reason === ''
    ? 'one or more images rejected by webhook backend'
    : `image policy webhook backend denied one or more images: ${reason}`;

/** A cached answer. */
interface Cached {
  readonly verdict: ImageVerdict;
  /** End of its life, in milliseconds of the clock. */
  readonly untilMs: number;
}

/** Asks the service, and caches its answers. */
class ImageReviews {
  readonly #options: ImagePolicyOptions;
  readonly #parts: ImagePolicyParts;
  readonly #apiVersion: string;
  readonly #cached = new LruMap<string, Cached>(CACHE_SIZE);

  constructor(options: ImagePolicyOptions, parts: ImagePolicyParts) {
    this.#options = options;
    this.#parts = parts;
    this.#apiVersion = `${groupName(systemGroup('imagepolicy'), parts.dialect)}/v1alpha1`;
  }

  /** @throws Error when the service cannot be reached, or answers something else than a review */
  async of(spec: JsonObject, { signal }: RequestContext): Promise<ImageVerdict> {
    // A digest: annotations are as long as clients like.
    const key = tokenDigest(JSON.stringify(spec));
    const known = this.#find(key);
    if (known !== undefined) return known;
    const { clock, entropy } = this.#parts;
    const { post, allowTtl = ALLOW_TTL_MS, denyTtl = DENY_TTL_MS } = this.#options;
    const { retryBackoff = RETRY_BACKOFF_MS } = this.#options;
    const answer = await postReview(
      {
        kind: 'ImageReview',
        apiVersion: this.#apiVersion,
        ...{ metadata: { creationTimestamp: null }, spec, status: { allowed: false } },
      },
      { post, clock, entropy, retry: { initial: retryBackoff } },
      signal,
    );
    const verdict = verdictIn(answer);
    this.#remember(key, verdict, durationMs(verdict.allowed ? allowTtl : denyTtl));
    return verdict;
  }

  #find(key: string): ImageVerdict | undefined {
    const known = this.#cached.get(key);
    if (known === undefined) return undefined;
    if (known.untilMs > this.#parts.clock.now()) return known.verdict;
    this.#cached.delete(key);
    return undefined;
  }

  #remember(key: string, verdict: ImageVerdict, ttlMs: number): void {
    if (ttlMs > 0) this.#cached.set(key, { verdict, untilMs: this.#parts.clock.now() + ttlMs });
  }
}

/** @throws Error for a member of a wrong type */
function verdictIn({ status = {} }: JsonObject): ImageVerdict {
  if (!isJsonObject(status))
    throw new Error('the answer of the image policy webhook has a status that is not an object');
  const { allowed = false, reason = '', auditAnnotations } = status;
  if (typeof allowed !== 'boolean' || typeof reason !== 'string')
    throw new Error('the status of an image review must have allowed, a boolean, and reason, a string');
  return { allowed, reason, auditAnnotations: annotationsIn(auditAnnotations) };
}

function annotationsIn(value: JsonValue | undefined): ImageVerdict['auditAnnotations'] {
  return Object.entries(isJsonObject(value) ? value : {}).flatMap(([key, text]) =>
    typeof text === 'string' ? [[key, text] as const] : [],
  );
}
