import { expect, test } from 'vitest';
import { startTestServer } from '../../../../src/entries/testing.js';
import { ask, jsonOf } from '../../../server/ask.js';

const token = 'owner-of-the-older-reviews-test';

test.each(['v1beta1', 'v1alpha1'])('version %s of the review answers like v1, where it is enabled', async (version) => {
  const path = `/apis/authentication.k8s.io/${version}/selfsubjectreviews`;
  await using usual = await startTestServer({ dialect: 'kubernetes', authentication: { ownerToken: token } });
  expect((await ask(usual.server, 'POST', path, { token, body: '{}' })).status).toBe(404);
  await using running = await startTestServer({
    dialect: 'kubernetes',
    authentication: { ownerToken: token },
    runtimeConfig: `authentication.k8s.io/${version}=true`,
  });
  const review = async (at: string) =>
    jsonOf(await ask(running.server, 'POST', at, { token, body: '{}' })) as { apiVersion: string; status: object };
  const answer = await review(path);
  expect(answer).toMatchObject({ apiVersion: `authentication.k8s.io/${version}`, kind: 'SelfSubjectReview' });
  expect(answer.status).toEqual((await review('/apis/authentication.k8s.io/v1/selfsubjectreviews')).status);
});
