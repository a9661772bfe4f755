import { describe, expect, test, vi } from 'vitest';
import { encodePem } from '../../src/security/pki/index.js';
import { drawnGraph, MOST_NODES, wanted, withBranch, type GraphObject } from '../../src/ui/web/data/graph.js';
import { annotationsIn, chosenColumns, columnsText, drawnColumns } from '../../src/ui/web/data/columns.js';
import { namedIn, referenceIn } from '../../src/ui/references.js';
import { kindOf } from '../../src/ui/web/data/references.js';
import { RowOrder } from '../../src/ui/web/data/row-order.js';
import { plainKey } from '../../src/ui/web/data/sort-keys.js';
import { rowOf, type Row } from '../../src/ui/web/data/rows.js';
import { yamlLines } from '../../src/ui/web/data/yaml-lines.js';
import { decodePem } from '../../src/ui/web/decode/certificates.js';
import type { Decoded } from '../../src/ui/web/decode/decoded.js';
import { encodedIn } from '../../src/ui/web/decode/find.js';
import { decodeKubeconfig } from '../../src/ui/web/decode/kubeconfig.js';
import { decodeToken } from '../../src/ui/web/decode/token.js';
import { layoutOf } from '../../src/ui/web/graph/layout.js';
import { authority, base64, certificatePem, requestPem } from '../support/certificates.js';

describe('columns', () => {
  const columns = [
    { name: 'Name', type: 'string' },
    { name: 'Ready', type: 'string' },
    { name: 'IP', type: 'string', priority: 1 },
  ];
  const keys = (chosen: string): string[] => drawnColumns(columns, true, chosenColumns(chosen)).map(({ key }) => key);

  test('are those of the server without the wide ones, or those that are chosen, in their order', () => {
    expect(keys('')).toEqual(['name', 'namespace', 'ready']);
    expect(keys('ip,name')).toEqual(['ip', 'name']);
    expect(keys('name,gone,label:app,annotation:a/b')).toEqual(['name', 'label:app', 'annotation:a/b']);
  });
  test('are in the address with their widths', () => {
    const chosen = [
      { key: 'a,b~%', width: 120 },
      { key: 'label:x/y', width: undefined },
    ];
    expect(chosenColumns(columnsText(chosen))).toEqual(chosen);
    expect(chosenColumns('name~9,ready~99999,ip~x,%').map(({ width }) => width)).toEqual([
      40,
      undefined,
      undefined,
      undefined,
    ]);
  });
  test('of labels and annotations are kept by the rows, and annotations only if they are asked for', () => {
    const chosen = chosenColumns('name,label:app,annotation:note');
    const metadata = { uid: 'u', name: 'n', labels: { app: 'web' }, annotations: { note: 'hi', other: 'x' } };
    const row = rowOf({ cells: ['n'], object: { metadata } }, undefined, annotationsIn(chosen));
    expect(drawnColumns(columns, false, chosen).map(({ text }) => text(row, 0))).toEqual(['n', 'web', 'hi']);
    expect([...(row.annotations?.keys() ?? [])]).toEqual(['note']);
    const found = (text: string, extras: readonly string[]) =>
      new RowOrder().shown(new Map([['u', row]]), { columns, namespaces: [], text, sort: '', extras }).length;
    expect([found('web', []), found('web', ['label:app']), found('HI', ['annotation:note'])]).toEqual([0, 1, 1]);
  });
});

describe('the order of rows', () => {
  const columns = [{ name: 'Name', type: 'string' }];
  /** A row that counts how often it is looked at. */
  const counted = (uid: string, name: string, looks: { count: number }): Row => {
    const cells = [name];
    const row = { uid, name, namespace: 'x', created: '', changedAt: undefined, goneAt: undefined, cells };
    return Object.defineProperty(row, 'cells', {
      get: () => {
        looks.count += 1;
        return cells;
      },
    });
  };

  test.each(['name', '-name'])('by %s looks at few rows when one changes among 30,000', (sort) => {
    const looks = { count: 0 };
    const rows = new Map(
      Array.from({ length: 30_000 }, (_, index) => {
        const uid = `u${(index * 7919) % 30_000}`;
        return [uid, counted(uid, `row-${uid.slice(1)}`, looks)] as const;
      }),
    );
    const view = { columns, namespaces: [], text: 'row', sort };
    const order = new RowOrder();
    const before = order.shown(rows, view);
    expect(before).toHaveLength(30_000);
    looks.count = 0;
    expect(order.shown(rows, view)).toBe(before);
    expect(looks.count).toBe(0);
    rows.set('u5', counted('u5', 'row-29999.5', looks));
    rows.delete('u6');
    const after = order.shown(rows, view);
    // One for the filter, and two for each half.
    expect(looks.count).toBeLessThan(40);
    const names = after.map(({ name }) => name);
    expect(names).toHaveLength(29_999);
    expect(sort === 'name' ? names.slice(-2) : names.slice(0, 2).reverse()).toEqual(['row-29999', 'row-29999.5']);
    expect(names).not.toContain('row-6');
  });
  test('is that of a full sort after any changes', () => {
    const looks = { count: 0 };
    const rows = new Map<string, Row>();
    const order = new RowOrder();
    let seed = 1;
    const next = (most: number): number => (seed = (seed * 48271) % 2147483647) % most;
    for (const sort of ['name', '-name', '']) {
      const view = { columns, namespaces: [], text: '1', sort };
      for (let round = 0; round < 50; round += 1) {
        for (let change = next(6); change >= 0; change -= 1) {
          const uid = `u${next(40)}`;
          if (next(4) === 0) rows.delete(uid);
          else rows.set(uid, counted(uid, `${next(1000)}-${uid}`, looks));
        }
        expect(order.shown(rows, view)).toEqual(new RowOrder().shown(rows, view));
      }
    }
  });
  test('is the same when it is told which rows have changed, also after rows were held', () => {
    const looks = { count: 0 };
    const rows = new Map<string, Row>();
    const order = new RowOrder();
    let seed = 7;
    const next = (most: number): number => (seed = (seed * 48271) % 2147483647) % most;
    for (const sort of ['name', '-name', '']) {
      const view = { columns, namespaces: [], text: '1', sort };
      for (let round = 0; round < 100; round += 1) {
        const touched = new Set<string>();
        for (let change = next(6); change >= 0; change -= 1) {
          const uid = `u${next(40)}`;
          touched.add(uid);
          if (next(4) === 0) rows.delete(uid);
          else rows.set(uid, counted(uid, `${next(1000)}-${uid}`, looks));
        }
        const isHeld = next(3) > 0;
        const shown = order.shown(rows, view, isHeld, touched);
        if (!isHeld) expect(shown).toEqual(new RowOrder().shown(rows, view));
        else if (order.gone === 0) expect(shown.every((row) => rows.get(row.uid) === row)).toBe(true);
      }
      order.release();
    }
  });
  test.each([
    ['name', (index: number) => index],
    ['-name', (index: number) => index],
    ['name', (index: number) => (index * 7919) % 30_000],
    ['', (index: number) => index],
  ])('by %s looks twice at each row of a list that comes in pages, and at none when nothing comes', (sort, place) => {
    const looks = { count: 0 };
    const rows = new Map<string, Row>();
    const order = new RowOrder();
    const view = { columns, namespaces: [], text: 'row', sort };
    const walks = [vi.spyOn(rows, 'keys'), vi.spyOn(rows, 'values'), vi.spyOn(rows, 'entries')];
    for (let from = 0; from < 30_000; from += 2000) {
      const page = Array.from({ length: 2000 }, (_, index) => place(from + index));
      for (const index of page) rows.set(`u${index}`, counted(`u${index}`, `row-${index}`, looks));
      expect(order.shown(rows, view, false, new Set(page.map((index) => `u${index}`)))).toHaveLength(from + 2000);
    }
    expect(looks.count).toBeLessThanOrEqual(60_000);
    // Once, for the first page.
    expect(walks.map(({ mock }) => mock.calls.length)).toEqual([0, 1, 0]);
    const last = order.shown(rows, view, false, new Set());
    expect(order.shown(rows, view, false, new Set())).toBe(last);
    expect(looks.count).toBeLessThanOrEqual(60_000);
  });
  test('of names is that of the collator', () => {
    const collator = new Intl.Collator('en', { numeric: true });
    let seed = 3;
    const next = (most: number): number => (seed = (seed * 48271) % 2147483647) % most;
    const text = (): string => Array.from({ length: next(7) }, () => '-.abz0019'[next(9)]).join('');
    for (let round = 0; round < 20_000; round += 1) {
      const [a, b] = [text(), text()];
      const [left = '', right = ''] = [plainKey(a), plainKey(b)];
      const found = left < right ? -1 : left > right ? 1 : 0;
      if (found !== Math.sign(collator.compare(a, b))) expect([a, b, found]).toBe(collator.compare(a, b));
    }
    expect(['A', 'é', 'a_b', '9'.repeat(41)].map(plainKey)).toEqual([undefined, undefined, undefined, undefined]);
  });
});

describe('references', () => {
  const kind = (group: string, name: string, namespaced = true) => ({
    ...{ group, version: 'v1', kind: name, plural: `${name.toLowerCase()}s`, namespaced },
    ...{ shortNames: [], verbs: [], subresources: [] },
  });
  const links = (object: object): string[] =>
    yamlLines(object, []).flatMap(({ text, reference, valueAt }) =>
      reference === undefined
        ? []
        : [`${reference.group ?? '?'}/${reference.kind} ${reference.namespace ?? '-'} ${text.slice(valueAt)}`],
    );

  test('are links in the YAML of pods, bindings, owners and others', () => {
    expect(
      links({
        metadata: {
          name: 'self',
          namespace: 'shop',
          ownerReferences: [{ apiVersion: 'apps/v1', kind: 'Deployment', name: 'web' }],
        },
        roleRef: { apiGroup: 'rbac.example.org', kind: 'Role', name: 'reader' },
        subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'ci' }],
        spec: {
          serviceAccountName: 'robot',
          volumes: [
            { name: 'v', secret: { secretName: 'keys' } },
            { name: 'w', configMap: { name: 'settings' } },
          ],
          containers: [{ name: 'main', env: [{ name: 'A', valueFrom: { secretKeyRef: { name: 'keys', key: 'a' } } }] }],
          imagePullSecrets: [{ name: 'pull' }],
        },
        data: { nodeName: 'text of a user', name: 'x' },
      }),
    ).toEqual([
      '?/Namespace - shop',
      'apps/Deployment - web',
      'rbac.example.org/Role - reader',
      '?/ServiceAccount ci robot',
      '?/Namespace - ci',
      '?/ServiceAccount - robot',
      '?/Secret - keys',
      '?/ConfigMap - settings',
      '?/Secret - keys',
      '?/Secret - pull',
    ]);
  });
  test('lead to kinds that the server has, and without a group not to those of custom resources', () => {
    const kinds = [kind('example.com', 'Secret'), kind('', 'Secret'), kind('storage.test.io', 'StorageClass', false)];
    const found = (name: string, group?: string) =>
      kindOf({ kind: name, group, name: 'n', namespace: undefined }, kinds, 'test.io')?.group;
    expect([found('Secret'), found('Secret', 'example.com'), found('StorageClass'), found('Nothing')]).toEqual([
      '',
      'example.com',
      'storage.test.io',
      undefined,
    ]);
    expect(referenceIn({ holder: 'labels', map: {}, key: 'nodeName', value: 'n' })).toBeUndefined();
  });

  test('are found in a whole object with their fields, but not in its metadata, status and data', () => {
    const pod = {
      metadata: { name: 'p', namespace: 'shop', ownerReferences: [{ kind: 'Job', name: 'j' }] },
      spec: {
        serviceAccountName: 'robot',
        containers: [{ name: 'c', envFrom: [{ configMapRef: { name: 'settings' } }] }],
        volumes: [
          { name: 'v', secret: { secretName: 'tls' } },
          { name: 'all', projected: { sources: [{ secret: { name: 'key' } }] } },
        ],
        nodeSelector: { nodeName: 'x' },
      },
      status: { nodeName: 'n' },
      data: { secretName: 'text' },
    };
    expect([...namedIn(pod)].map(({ kind, name, field }) => `${kind} ${name} ${field}`)).toEqual([
      'ServiceAccount robot spec.serviceAccountName',
      'ConfigMap settings spec.containers[0].envFrom[0].configMapRef.name',
      'Secret tls spec.volumes[0].secret.secretName',
      'Secret key spec.volumes[1].projected.sources[0].secret.name',
    ]);
    const claim = {
      spec: { claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace: 'shop', name: 'c' } },
    };
    expect([...namedIn(claim)]).toEqual([
      { kind: 'PersistentVolumeClaim', group: '', name: 'c', namespace: 'shop', field: 'spec.claimRef.name' },
    ]);
  });
});

describe('a graph', () => {
  const object = (uid: string, kind = 'Pod', below?: readonly GraphObject[]): GraphObject => ({
    ...{ group: '', version: 'v1', kind, resource: 'pods', namespace: '', name: uid, uid },
    below: below === undefined ? undefined : { members: below, hidden: 0, complete: true },
  });
  const many = (count: number, kind?: string, below?: readonly GraphObject[]) =>
    Array.from({ length: count }, (_, index) => object(`${kind}${index}`, kind, below));
  const titles = (root: GraphObject, opened: readonly string[] = []) =>
    drawnGraph(root, new Set(opened)).root.children.map(({ title }) => title);

  test('folds many objects of a kind, and unfolds them', () => {
    const root = object('r', 'Deployment', [...many(9, 'Pod', []), ...many(2, 'Job', [])]);
    expect(titles(root)).toEqual(['Pod × 9', 'Job0', 'Job1']);
    expect(titles(root, ['r Pod'])).toHaveLength(11);
  });
  test('says what is hidden and what was not sent', () => {
    const root = { ...object('r'), below: { members: [], hidden: 3, complete: false } };
    expect(titles(root)).toEqual(['3 more', 'and others']);
  });
  test('is cut where it is too large, and says by how much', () => {
    const { root, leftOut } = drawnGraph(object('r', 'Set', many(500, 'Pod', [])), new Set(['r Pod']));
    expect([root.children.length, leftOut]).toEqual([MOST_NODES - 1, 500 - MOST_NODES + 1]);
    const layout = layoutOf(root, []);
    expect(layout.nodes).toHaveLength(MOST_NODES);
    expect(new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`)).size).toBe(MOST_NODES);
    expect(layout.nodes.every(({ x, y }) => x >= 0 && y >= 0 && x < layout.width && y < layout.height)).toBe(true);
  });
  test('has an owner beside its object', () => {
    const owner = { id: 'o', title: 'o', detail: '', object: undefined, opens: false, children: [] };
    const { root } = drawnGraph(object('r', 'Set', many(3, 'Pod', [])), new Set());
    const [first, second] = layoutOf(root, [owner]).nodes;
    expect([first?.node.id, second?.node.id]).toEqual(['o', 'r']);
    expect([first?.y, (first?.x ?? 0) < (second?.x ?? 0)]).toEqual([second?.y, true]);
  });
  test('reads the dependants of few objects without being asked', () => {
    const root = object('r', 'Set');
    expect(wanted(root, 3).map(({ uid }) => uid)).toEqual(['r']);
    const members = [...many(9, 'Pod'), object('j', 'Job')];
    const read = withBranch(root, 'r', { members, hidden: 0, complete: true });
    expect(wanted(read, 3).map(({ uid }) => uid)).toEqual(['j']);
    expect(wanted(read, 1)).toEqual([]);
    expect(drawnGraph(read, new Set()).root.children.map(({ opens }) => opens)).toEqual([true, true]);
  });
});

describe('decoded', () => {
  const NOW = Date.parse('2024-06-01T00:00:00Z');
  const fact = (decoded: Decoded | undefined, name: string) => new Map(decoded?.facts ?? []).get(name);

  test('texts are found wherever they are, as they are or as base64', async () => {
    const pem = await certificatePem();
    const found = encodedIn({
      a: [{ b: pem }],
      data: { c: base64(pem), d: base64('x'.repeat(100)) },
      n: 1,
      t: 'eyJh.eyJi.',
    });
    expect(found.map(({ place, form }) => [place, form])).toEqual([
      ['a.0.b', 'pem'],
      ['data.c', 'pem'],
      ['t', 'token'],
    ]);
    expect(encodedIn(Array.from({ length: 500 }, () => pem))).toHaveLength(50);
  });
  test('certificates have subject, names, validity, key and chain', async () => {
    const issuer = await authority('ca');
    const [leaf, root] = await decodePem((await certificatePem(issuer)) + issuer.certificatePem, NOW);
    expect(leaf?.title).toBe('Certificate CN=alice');
    expect(fact(leaf, 'Issuer')).toBe('CN=ca');
    expect(fact(leaf, 'Key')).toBe('ECDSA P-256');
    expect(fact(leaf, 'Validity')).toBe('✓ valid, 213 days left');
    expect(fact(leaf, 'Chain')).toBe('CN=alice ← CN=ca (self-signed)');
    expect(fact(leaf, 'SHA-256')).toMatch(/^(?:[0-9a-f]{2}:){31}[0-9a-f]{2}$/);
    expect(fact(root, 'Authority')).toMatch(/^yes/);
    expect(fact(root, 'Key usages')).toContain('keyCertSign');
    const [alone] = await decodePem(await certificatePem(issuer), NOW);
    expect(fact(alone, 'Chain')).toBe('CN=alice; CN=ca is not here');
    // An authority of the same name, with another key, did not sign it.
    const other = await authority('ca');
    const [unsigned] = await decodePem((await certificatePem(issuer)) + other.certificatePem, NOW);
    expect(fact(unsigned, 'Chain')).toBe('CN=alice; CN=ca is not here');
    const later = await decodePem(await certificatePem(issuer), NOW + 400 * 86_400_000);
    expect(fact(later[0], 'Validity')).toBe('✕ expired');
  });
  test('requests have names and usages, and a signature that is checked', async () => {
    const pem = await requestPem({ alternativeNames: { dnsNames: ['a.example'], ipAddresses: ['10.0.0.1'] } });
    const [request] = await decodePem(pem, NOW);
    expect(request?.title).toMatch(/^Certificate request .*CN=alice/);
    expect(fact(request, 'Names')).toBe('DNS a.example, IP 10.0.0.1');
    expect(fact(request, 'Signature')).toBe('✓ by the key of the request');
  });
  test('broken texts say where, and keys are not shown', async () => {
    const key = encodePem('PRIVATE KEY', new Uint8Array([1, 2, 3]));
    const wrong = encodePem('CERTIFICATE', new Uint8Array([48, 3, 2, 1, 1]));
    const [first, second, third] = await decodePem(`${key}${wrong}rest\n`, NOW);
    expect([first?.title, first?.facts]).toEqual(['Private key', [['Content', '3 bytes, which are not shown']]]);
    expect([second?.title, second?.problem]).toEqual([
      'CERTIFICATE at line 4',
      expect.stringMatching(/^cannot be decoded: /),
    ]);
    expect([third?.title, third?.problem]).toEqual(['Line 7', 'text outside of a block']);
  });
  test('tokens have claims and validity, and their signature is said not to be verified', () => {
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
    const claims = { iss: 'https://i', sub: 'bob', aud: ['a', 'b'], exp: NOW / 1000 + 86_400 };
    const token = decodeToken(`${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}.c2ln`, NOW);
    expect(token.title).toBe('Token of bob');
    expect(['Validity', 'Issuer', 'Audience', 'Algorithm', 'Signature'].map((name) => fact(token, name))).toEqual([
      '▲ valid, 1 day left',
      'https://i',
      '["a","b"]',
      'RS256',
      '○ not verified here',
    ]);
    expect(decodeToken('eyJ.x.y', NOW).problem).toMatch(/^cannot be decoded/);
  });
  test('kubeconfigs have clusters and users, with certificates, and without secrets', async () => {
    const config = `kind: Config
current-context: c
clusters: [{ name: k, cluster: { server: 'https://h', certificate-authority-data: ${base64(await certificatePem())} } }]
contexts: [{ name: c, context: { cluster: k, user: u } }]
users: [{ name: u, user: { token: hush, client-key-data: aHVzaA== } }]
`;
    expect(encodedIn({ data: { config: base64(config) } })[0]?.form).toBe('kubeconfig');
    const decoded = await decodeKubeconfig(config, NOW);
    expect(decoded.parts.map(({ title }) => title)).toEqual(['Context c', 'Cluster k', 'User u']);
    expect(decoded.parts[1]?.parts[0]?.title).toBe('Certificate CN=alice');
    expect(JSON.stringify(decoded)).not.toMatch(/hush|aHVzaA/);
    expect((await decodeKubeconfig('kind: [', NOW)).problem).toBeDefined();
  });
});
