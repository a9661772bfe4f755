import type { Attributes } from '../../../../src/security/authz/index.js';
import {
  createWebhookAuthorizer,
  type WebhookAuthorizerOptions,
} from '../../../../src/security/authz/webhook/index.js';
import { kubernetes } from '../../../../src/foundation/index.js';
import type { WebhookPost } from '../../../../src/foundation/outbound/webhook-post.js';
import { createManualClock, seededEntropy } from '../../../../src/entries/testing.js';

/** A review as it is posted. */
export interface Posted {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: object;
  readonly spec: { readonly [field: string]: unknown };
  readonly status: object;
}

export const attributes = (about: Partial<Attributes> = {}): Attributes => ({
  user: { username: 'alice', groups: ['dev'] },
  verb: 'get',
  isResource: true,
  namespace: 'shop',
  apiGroup: '',
  apiVersion: 'v1',
  resource: 'pods',
  subresource: '',
  name: 'web-0',
  path: '/p',
  ...about,
});

/** A webhook that answers with a fixed status, or with a function of the review. */
export async function webhook(status: unknown, options: Partial<WebhookAuthorizerOptions> = {}) {
  const clock = createManualClock();
  const posted: Posted[] = [];
  const post: WebhookPost = async (body) => {
    const review = JSON.parse(body) as Posted;
    posted.push(review);
    const answer = {
      ...review,
      status:
        typeof status === 'function' ? ((await (status as (review: Posted) => unknown)(review)) as object) : status,
    };
    return { status: 200, header: () => undefined, body: new TextEncoder().encode(JSON.stringify(answer)) };
  };
  const authorize = await createWebhookAuthorizer({
    post,
    clock,
    entropy: seededEntropy(1),
    dialect: kubernetes,
    ...options,
  });
  return { clock, posted, authorize, ask: async (about: Partial<Attributes> = {}) => authorize(attributes(about)) };
}
