/** Tests of `node:test`, one of which fails. The states of their servers go to the folder of the environment. */
import assert from 'node:assert/strict';
import { after, afterEach, before, beforeEach, test } from 'node:test';
import { ConfigMap } from 'orch-apiserver';
import { useTestServer } from 'orch-apiserver/testing';

const snapshots = { folder: process.env['STATES'] };
const server = useTestServer({ snapshots }, { before, beforeEach, afterEach, after });
const maps = () => server().client.resource(ConfigMap).namespace('default');

void test('passes', async () => {
  await maps().create({ metadata: { name: 'fine' } });
});

void test('finds a map', async () => {
  await maps().create({ metadata: { name: 'here' } });
  assert.equal((await maps().list()).items.length, 2);
});
