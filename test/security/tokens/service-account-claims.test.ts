import { describe, expect, it } from 'vitest';
import { kubernetes, orch } from '../../../src/foundation/dialect/dialect.js';
import {
  InvalidTokenError,
  legacyIssuer,
  makeServiceAccountClaims,
  readLegacyServiceAccountClaims,
  readServiceAccountClaims,
  timeProblem,
  type NewServiceAccountClaims,
} from '../../../src/security/tokens/index.js';

const fresh: NewServiceAccountClaims = {
  issuer: 'https://issuer.example',
  audiences: ['api', 'vault'],
  id: 'the-id',
  nowMs: 1_700_000_000_999,
  lifetimeSeconds: 3600,
  namespace: 'team',
  serviceAccount: { name: 'robot', uid: 'u-1' },
};

describe('new claims', () => {
  it('are formatted as in Kubernetes, in its order', () => {
    const claims = makeServiceAccountClaims(
      {
        ...fresh,
        pod: { name: 'p', uid: 'u-2' },
        node: { name: 'n', uid: 'u-3' },
        warnAfterSeconds: 3607,
        lifetimeSeconds: 31_536_000,
      },
      kubernetes,
    );
    expect(JSON.stringify(claims)).toBe(
      '{"aud":["api","vault"],"exp":1731536000,"iat":1700000000,"iss":"https://issuer.example","jti":"the-id",' +
        '"kubernetes.io":{"namespace":"team","node":{"name":"n","uid":"u-3"},"pod":{"name":"p","uid":"u-2"},"serviceaccount":{"name":"robot","uid":"u-1"},"warnafter":1700003607},' +
        '"nbf":1700000000,"sub":"system:serviceaccount:team:robot"}',
    );
  });

  it('have the name of the dialect, in sorted position', () => {
    expect(Object.keys(makeServiceAccountClaims(fresh, orch))).toEqual([
      'aud',
      'exp',
      'iat',
      'iss',
      'jti',
      'nbf',
      'orch.io',
      'sub',
    ]);
  });

  it('name a missing node without a uid', () => {
    expect(
      makeServiceAccountClaims({ ...fresh, pod: { name: 'p', uid: 'u' }, node: { name: 'n' } }, orch),
    ).toMatchObject({ 'orch.io': { node: { name: 'n' } } });
  });

  it('are bound to a Secret or to another kind', () => {
    const secret = { name: 's', uid: 'u' };
    expect(() => makeServiceAccountClaims({ ...fresh, secret, pod: secret }, orch)).toThrow(TypeError);
    expect(makeServiceAccountClaims({ ...fresh, secret }, orch)).toMatchObject({ 'orch.io': { secret } });
  });

  it('are parsed as they were written', () => {
    const binding = {
      namespace: 'team',
      serviceAccount: { name: 'robot', uid: 'u-1' },
      pod: { name: 'p', uid: 'u-2' },
      node: { name: 'n', uid: undefined },
      secret: undefined,
    };
    const payload = makeServiceAccountClaims({ ...fresh, ...binding, warnAfterSeconds: 60 }, orch);
    expect(readServiceAccountClaims(payload, orch)).toEqual({
      issuer: 'https://issuer.example',
      subject: 'system:serviceaccount:team:robot',
      audiences: ['api', 'vault'],
      expiry: 1_700_003_600,
      notBefore: 1_700_000_000,
      issuedAt: 1_700_000_000,
      id: 'the-id',
      warnAfter: 1_700_000_060,
      ...binding,
    });
  });
});

describe('received claims', () => {
  const payload = makeServiceAccountClaims({ ...fresh, pod: { name: 'p', uid: 'u' } }, orch);
  const binding = payload['orch.io'] as Record<string, string>;

  it.each<[string, Parameters<typeof readServiceAccountClaims>[0]]>([
    ['exp claim is missing', { ...payload, exp: undefined }],
    ['exp claim is missing', { ...payload, exp: null }],
    ['exp claim is malformed', { ...payload, exp: '1700003600' }],
    ['exp claim is malformed', { ...payload, exp: 1e400 }],
    ['exp claim is malformed', { ...payload, exp: 2 ** 60 }],
    ['exp claim is malformed', { ...payload, exp: [1] }],
    ['nbf claim is malformed', { ...payload, nbf: true }],
    ['iat claim is malformed', { ...payload, iat: {} }],
    ['jti claim is malformed', { ...payload, jti: 1 }],
    ['sub claim is malformed', { ...payload, sub: ['x'] }],
    ['aud claim is malformed', { ...payload, aud: ['x', 1] }],
    ['aud claim is malformed', { ...payload, aud: { a: 'x' } }],
    ['orch.io claim is missing', { ...payload, 'orch.io': undefined }],
    ['orch.io claim is missing', { ...payload, 'orch.io': 'x' }],
    ['namespace claim is missing', { ...payload, 'orch.io': { ...binding, namespace: '' } }],
    ['namespace claim is malformed', { ...payload, 'orch.io': { ...binding, namespace: 1 } }],
    ['serviceaccount claim is missing', { ...payload, 'orch.io': { ...binding, serviceaccount: undefined } }],
    ['serviceaccount claim is malformed', { ...payload, 'orch.io': { ...binding, serviceaccount: 'robot' } }],
    ['serviceaccount name claim is missing', { ...payload, 'orch.io': { ...binding, serviceaccount: { uid: 'u' } } }],
    ['serviceaccount uid claim is missing', { ...payload, 'orch.io': { ...binding, serviceaccount: { name: 'n' } } }],
    ['pod uid claim is missing', { ...payload, 'orch.io': { ...binding, pod: { name: 'n' } } }],
    ['pod name claim is malformed', { ...payload, 'orch.io': { ...binding, pod: { name: {}, uid: 'u' } } }],
    ['secret claim is malformed', { ...payload, 'orch.io': { ...binding, secret: [] } }],
    ['node claim is malformed', { ...payload, 'orch.io': { ...binding, node: 'n' } }],
    ['node name claim is missing', { ...payload, 'orch.io': { ...binding, node: { uid: 'u' } } }],
    ['warnafter claim is malformed', { ...payload, 'orch.io': { ...binding, warnafter: 'soon' } }],
  ])('%s', (message, claims) => {
    expect(() => readServiceAccountClaims(claims, orch)).toThrow(new InvalidTokenError(message));
  });

  it('may have a fraction of a second, which is truncated, and one audience without a list', () => {
    expect(readServiceAccountClaims({ ...payload, exp: 1_700_003_600.9, aud: 'api' }, orch)).toMatchObject({
      expiry: 1_700_003_600,
      audiences: ['api'],
    });
  });

  it('may have no audience, no id, and no warning time', () => {
    expect(
      readServiceAccountClaims({ ...payload, aud: undefined, jti: '', 'orch.io': { ...binding, warnafter: 0 } }, orch),
    ).toMatchObject({
      audiences: [],
      id: undefined,
      warnAfter: undefined,
    });
  });
});

describe('legacy claims', () => {
  const payload = {
    iss: 'orch/serviceaccount',
    sub: 'system:serviceaccount:team:robot',
    'orch.io/serviceaccount/namespace': 'team',
    'orch.io/serviceaccount/secret.name': 'robot-token',
    'orch.io/serviceaccount/service-account.name': 'robot',
    'orch.io/serviceaccount/service-account.uid': 'u-1',
  };

  it('have a separate issuer', () => {
    expect(legacyIssuer(orch)).toBe('orch/serviceaccount');
    expect(legacyIssuer(kubernetes)).toBe('kubernetes/serviceaccount');
  });

  it('are parsed without any time', () => {
    expect(readLegacyServiceAccountClaims(payload, orch)).toMatchObject({
      namespace: 'team',
      secretName: 'robot-token',
      serviceAccount: { name: 'robot', uid: 'u-1' },
      expiry: undefined,
    });
  });

  it.each([
    ['sub claim is missing', 'sub'],
    ['namespace claim is missing', 'orch.io/serviceaccount/namespace'],
    ['secretName claim is missing', 'orch.io/serviceaccount/secret.name'],
    ['serviceAccountName claim is missing', 'orch.io/serviceaccount/service-account.name'],
    ['serviceAccountUID claim is missing', 'orch.io/serviceaccount/service-account.uid'],
  ])('%s', (message, name) => {
    expect(() => readLegacyServiceAccountClaims({ ...payload, [name]: '' }, orch)).toThrow(
      new InvalidTokenError(message),
    );
  });
});

describe('time claims', () => {
  const claims = {
    issuer: '',
    subject: '',
    audiences: [],
    id: undefined,
    notBefore: 1_000,
    issuedAt: 1_000,
    expiry: 2_000,
  };
  it.each([
    [939_999, 'service account token is not valid yet'],
    [940_000, undefined],
    [2_060_000, undefined],
    [2_060_001, 'service account token has expired'],
  ])('at %i ms: %s', (nowMs, problem) => {
    expect(timeProblem(claims, nowMs)).toBe(problem);
  });

  it('of issue must not be in the future', () => {
    expect(timeProblem({ ...claims, notBefore: undefined }, 939_999)).toBe(
      'service account token is issued in the future',
    );
  });

  it('that are missing are always valid', () => {
    expect(timeProblem({ ...claims, notBefore: undefined, issuedAt: undefined, expiry: undefined }, 0)).toBeUndefined();
  });
});
