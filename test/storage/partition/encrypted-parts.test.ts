import { expect, it } from 'vitest';
import { resourceOfKey } from '../../../src/storage/encrypted/resources.js';

const SECRETS = { group: '', resource: 'secrets' };

it.each<[string, object | undefined]>([
  ['/w/0123/registry/secrets/default/a', { group: '', resource: 'secrets' }],
  ['/w/0123/registry/apps/deployments/default/a', { group: 'apps', resource: 'deployments' }],
  ['/w/0123/internal/signing-key', { group: '', resource: 'secrets' }],
  ['/internal/workspaces/names/alpha', { group: '', resource: 'secrets' }],
  ['/w/0123/internal/store', undefined],
  ['/w/0123', undefined],
])('the key %s of a part of a store is encrypted as its resource', (key, resource) => {
  expect(resourceOfKey(key, new Map([['secrets/', SECRETS]]))).toEqual(resource);
});
