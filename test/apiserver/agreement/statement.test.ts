import { expect, test } from 'vitest';
import { agreementText, readAgreement } from '../../../src/apiserver/agreement/agreement-record.js';
import {
  differentValues,
  missingTrust,
  type Statement,
  type Trust,
} from '../../../src/apiserver/agreement/statement.js';

const statement = (values: Record<string, string>, trust: Record<string, Trust> = {}): Statement => ({
  values: new Map(Object.entries(values)),
  trust: new Map(Object.entries(trust)),
});

test('a difference names the option, its flag, the own value and the agreed one', () => {
  const own = statement({ clusterIPRange: '10.1.0.0/16', nodePortRange: '1-2' });
  expect(differentValues(own, new Map([['nodePortRange', '1-2']]))).toEqual([]);
  expect(differentValues(own, new Map([['clusterIPRange', '10.0.0.0/24']]))).toEqual([
    'network.clusterIPRange (--service-cluster-ip-range) is 10.1.0.0/16 here and 10.0.0.0/24 there',
  ]);
});

test('values that only one of two builds knows do not differ', () => {
  expect(differentValues(statement({ clusterIPRange: 'a' }), new Map([['later', 'b']]))).toEqual([]);
  const trust = new Map([['later', { uses: ['x'], accepts: ['x'] }]]);
  expect(missingTrust(statement({}, { issuers: { uses: ['y'], accepts: ['y'] } }), [trust])).toEqual([]);
});

test('each server has to accept what the others use, and nothing more', () => {
  const own = statement({}, { issuers: { uses: ['b'], accepts: ['b', 'a', 'own'] } });
  expect(missingTrust(own, [new Map([['issuers', { uses: ['a'], accepts: ['a', 'b', 'other'] }]])])).toEqual([]);
  expect(missingTrust(own, [new Map([['issuers', { uses: ['c'], accepts: ['c'] }]])])).toEqual([
    'this server does not accept service account tokens of the issuer c, which another server uses: add it to authentication.serviceAccounts.issuers (--service-account-issuer)',
    'another server does not accept service account tokens of the issuer b, which this server uses: first add it to authentication.serviceAccounts.issuers (--service-account-issuer) of every server',
  ]);
});

test('the record of an agreement is read as it was written', () => {
  const record = {
    values: new Map([['clusterIPRange', '10.0.0.0/24']]),
    members: new Map([['one', new Map([['issuers', { uses: ['a'], accepts: ['a', 'b'] }]])]]),
  };
  expect(readAgreement({ text: agreementText(record)(7) })).toEqual(record);
  expect(() => readAgreement({ text: '{"kind":"Agreement"}' })).toThrow('/internal/agreement) cannot be read');
});
