import { describe, expect, test } from 'vitest';
import type { WebhookPost } from '../../../src/foundation/outbound/index.js';
import { auditWorld, type AuditWorld } from '../../security/audit/audit-world.js';
import { answerTo } from '../../server/ask.js';

interface Review {
  readonly apiVersion: string;
  readonly kind: string;
  readonly spec: { readonly containers?: readonly { readonly image?: string }[]; readonly annotations?: object };
}

/** A service that decides about images, and the reviews that it got. */
class ImageService {
  readonly reviews: Review[] = [];
  decide: (review: Review) => object = () => ({ allowed: true });
  code = 200;
  readonly post: WebhookPost = (body) => {
    const review = JSON.parse(body) as Review;
    this.reviews.push(review);
    const answer = JSON.stringify({ ...review, status: this.decide(review) });
    return Promise.resolve({
      status: this.code,
      header: () => undefined,
      body: new TextEncoder().encode(answer),
    });
  };
}

const start = (service: ImageService, more: object = {}): Promise<AuditWorld> =>
  auditWorld(undefined, {
    admission: { enable: ['ImagePolicyWebhook'], imagePolicyWebhook: { post: service.post, ...more } },
  });

const pods = '/api/v1/namespaces/default/pods';
const createPod = (world: AuditWorld, name: string, image: string, metadata: object = {}) =>
  answerTo(world.server, 'POST', pods, {
    metadata: { name, ...metadata },
    spec: { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: 'init' }] },
  });

const annotationsOf = async (world: AuditWorld) =>
  (await world.taken()).flatMap(({ stage, annotations = {} }) =>
    stage === 'ResponseComplete'
      ? [Object.fromEntries(Object.entries(annotations).filter(([key]) => key.includes('image-policy')))]
      : [],
  );

describe('ImagePolicyWebhook', () => {
  test('sends the images, the annotations for it, and the namespace', async () => {
    const service = new ImageService();
    await using world = await start(service);
    const annotations = { 'a.image-policy.k8s.io/ticket': '1', 'example.com/secret': 'x' };
    expect((await createPod(world, 'a', 'nginx', { annotations })).code).toBe(201);
    expect(service.reviews).toEqual([
      {
        kind: 'ImageReview',
        apiVersion: 'imagepolicy.k8s.io/v1alpha1',
        metadata: { creationTimestamp: null },
        spec: {
          containers: [{ image: 'nginx' }, { image: 'init' }],
          annotations: { 'a.image-policy.k8s.io/ticket': '1' },
          namespace: 'default',
        },
        status: { allowed: false },
      },
    ]);
  });

  test('refuses a pod with the reason of the service, and records its annotations', async () => {
    const service = new ImageService();
    service.decide = ({ spec }) =>
      spec.containers?.[0]?.image === 'bad'
        ? { allowed: false, reason: 'not signed', auditAnnotations: { why: 'no signature' } }
        : { allowed: false };
    await using world = await start(service);
    expect(await createPod(world, 'a', 'bad')).toMatchObject({
      ...{ code: 403, reason: 'Forbidden' },
      message: 'pods "a" is forbidden: image policy webhook backend denied one or more images: not signed',
    });
    expect(await createPod(world, 'b', 'other')).toMatchObject({
      message: 'pods "b" is forbidden: one or more images rejected by webhook backend',
    });
    expect(await annotationsOf(world)).toEqual([{ 'imagepolicywebhook.image-policy.k8s.io/why': 'no signature' }, {}]);
  });

  test('asks about ephemeral containers by themselves, and not about the status', async () => {
    const service = new ImageService();
    await using world = await start(service);
    await createPod(world, 'a', 'nginx');
    const patch = { spec: { ephemeralContainers: [{ name: 'debug', image: 'tools' }] } };
    const headers = { 'content-type': 'application/strategic-merge-patch+json' };
    expect((await answerTo(world.server, 'PATCH', `${pods}/a/ephemeralcontainers`, patch, { headers })).code).toBe(200);
    expect(
      (await answerTo(world.server, 'PATCH', `${pods}/a/status`, { status: { message: 'm' } }, { headers })).code,
    ).toBe(200);
    expect(service.reviews.map(({ spec }) => spec.containers)).toEqual([
      [{ image: 'nginx' }, { image: 'init' }],
      [{ image: 'tools' }],
    ]);
  });

  test('caches permissions and refusals, each for its time on the clock of the server', async () => {
    const service = new ImageService();
    service.decide = ({ spec }) => ({ allowed: spec.containers?.[0]?.image === 'good' });
    await using world = await start(service, { allowTtl: '2s', denyTtl: '1s' });
    const ask = async () => {
      const before = service.reviews.length;
      for (const image of ['good', 'bad']) await createPod(world, `p${Math.random()}`.replace('.', ''), image);
      return service.reviews.length - before;
    };
    expect(await ask()).toBe(2);
    expect(await ask()).toBe(0);
    await world.advance(1000);
    expect(await ask()).toBe(1);
    await world.advance(1000);
    expect(await ask()).toBe(2);
    await using uncached = await start(service, { allowTtl: 0, denyTtl: 0 });
    await createPod(uncached, 'a', 'good');
    service.reviews.length = 0;
    await createPod(uncached, 'b', 'good');
    expect(service.reviews).toHaveLength(1);
  });

  test('refuses pods when the service fails, or admits them with an annotation', async () => {
    const service = new ImageService();
    service.code = 404;
    await using closed = await start(service);
    expect(await createPod(closed, 'a', 'nginx')).toMatchObject({
      code: 403,
      message: 'pods "a" is forbidden: the webhook answered with status 404',
    });
    await using open = await start(service, { defaultAllow: true });
    expect((await createPod(open, 'a', 'nginx')).code).toBe(201);
    expect(await annotationsOf(open)).toEqual([{ 'imagepolicywebhook.image-policy.k8s.io/failed-open': 'true' }]);
    // A failure is not cached.
    service.code = 200;
    service.decide = () => ({ allowed: false });
    expect((await createPod(open, 'b', 'nginx')).code).toBe(403);
  });

  test('repeats a failed call after its pause', async () => {
    const service = new ImageService();
    service.code = 503;
    await using world = await start(service, { retryBackoff: 100 });
    const pending = createPod(world, 'a', 'nginx');
    await world.clock.settle();
    expect(service.reviews).toHaveLength(1);
    service.code = 200;
    await world.advance(121);
    expect((await pending).code).toBe(201);
    expect(service.reviews).toHaveLength(2);
  });
});
