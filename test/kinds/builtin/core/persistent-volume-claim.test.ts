import { atOnce } from '../../../../src/foundation/work/work.js';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../../../src/foundation/json/json.js';
import type { StoredObject } from '../../../../src/foundation/objects/object.js';
import { PersistentVolumeClaim } from '../../../../src/kinds/builtin/index.js';
import {
  cells,
  changed,
  contextOf,
  create,
  freeze,
  kubernetes,
  orch,
  problems,
  subresourceStrategy,
  texts,
  updateProblems,
  type Gates,
} from '../support.js';

const base: JsonObject = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const claim = (spec: Record<string, unknown> = {}, metadata: JsonObject = {}): JsonObject =>
  ({ metadata: { name: 'data', namespace: 'shop', ...metadata }, spec: { ...base, ...spec } }) as JsonObject;

const stored = (spec: Record<string, unknown> = {}, gates: Gates = {}): StoredObject =>
  create(PersistentVolumeClaim, claim(spec), orch, gates);
const bound = (spec: Record<string, unknown> = {}): StoredObject =>
  freeze({ ...stored(spec), status: { phase: 'Bound', capacity: { storage: '1Gi' } } });
const specOf = (object: StoredObject): JsonObject => object['spec'] as JsonObject;

describe('a PersistentVolumeClaim', () => {
  test('has the defaults of release 1.31 and starts as pending', () => {
    const object = stored();
    expect(object['spec']).toEqual({ ...base, volumeMode: 'Filesystem' });
    expect(object['status']).toEqual({ phase: 'Pending' });
  });

  test.each<readonly [name: string, manifest: JsonObject, errors: readonly string[]]>([
    ['a valid one', claim(), []],
    [
      'no spec',
      { spec: {} },
      [
        'spec.accessModes: Required value: at least 1 access mode is required',
        'spec.resources[storage]: Required value',
      ],
    ],
    [
      'a selector',
      claim({
        selector: { matchLabels: { 'a b': '1' }, matchExpressions: [{ key: 'a', operator: 'In', values: ['!'] }] },
      }),
      [
        `spec.selector.matchLabels: Invalid value: "a b": name part must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')`,
        `spec.selector.matchExpressions[0].values[0]: Invalid value: "!": a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')`,
      ],
    ],
    [
      'a mode for one pod beside others',
      claim({ accessModes: ['ReadWriteOncePod', 'ReadWriteOnce', 'Some'] }),
      [
        'spec.accessModes: Unsupported value: "Some": supported values: "ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod"',
        'spec.accessModes: Forbidden: may not use ReadWriteOncePod with other access modes',
      ],
    ],
    [
      'no storage',
      claim({ resources: { requests: { storage: '0' } } }),
      ['spec.resources[storage]: Invalid value: "0": must be greater than 0'],
    ],
    [
      'an unknown mode',
      claim({ volumeMode: 'Tape' }),
      ['spec.volumeMode: Unsupported value: "Tape": supported values: "Block", "Filesystem"'],
    ],
    ['an empty class, which is none', claim({ storageClassName: '' }), []],
    [
      'a wrong class',
      claim({ storageClassName: 'a_b' }),
      [
        `spec.storageClassName: Invalid value: "a_b": a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')`,
      ],
    ],
    ['a reference to a populator', claim({ dataSourceRef: { apiGroup: 'example.com', kind: 'Seed', name: 'a' } }), []],
    [
      'a reference to another core kind',
      claim({ dataSourceRef: { kind: 'Pod', name: '' } }),
      [
        'spec.dataSource.name: Required value',
        `spec.dataSource: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
        'spec.dataSourceRef.name: Required value',
        `spec.dataSourceRef: Invalid value: "Pod": must be 'PersistentVolumeClaim' when referencing the default apiGroup`,
      ],
    ],
    [
      'two sources',
      claim({
        dataSource: { kind: 'PersistentVolumeClaim', name: 'a' },
        dataSourceRef: { kind: 'PersistentVolumeClaim', name: 'b' },
      }),
      ['spec: Invalid value: spec.dataSource: must match dataSourceRef'],
    ],
  ])('%s', (_name, manifest, errors) => {
    expect(problems(PersistentVolumeClaim, manifest)).toEqual(errors);
  });

  test('copies its data source between the two fields', () => {
    const source = { apiGroup: null, kind: 'PersistentVolumeClaim', name: 'old' };
    expect(specOf(stored({ dataSource: source }))).toMatchObject({ dataSource: source, dataSourceRef: source });
    expect(specOf(stored({ dataSourceRef: source }))).toMatchObject({ dataSource: source, dataSourceRef: source });
  });

  test.each([orch, kubernetes])('names a snapshot as its data source, in the dialect $name', (dialect) => {
    const dataSource = { apiGroup: `snapshot.storage.${dialect.groupSuffix}`, kind: 'VolumeSnapshot', name: 's' };
    const object = create(PersistentVolumeClaim, claim({ dataSource }), dialect);
    expect(specOf(object)).toMatchObject({ dataSource, dataSourceRef: dataSource });
  });

  test('drops a data source of an unknown kind, and a reference to another namespace while that is disabled', () => {
    expect(specOf(stored({ dataSource: { apiGroup: 'example.com', kind: 'Seed', name: 'a' } }))).not.toHaveProperty(
      'dataSource',
    );
    const dataSourceRef = { apiGroup: 'example.com', kind: 'Seed', name: 'a', namespace: 'other' };
    expect(specOf(stored({ dataSourceRef }))).not.toHaveProperty('dataSourceRef');
    const kept = specOf(stored({ dataSourceRef }, { CrossNamespaceVolumeDataSource: true }));
    expect(kept).toMatchObject({ dataSourceRef });
    expect(kept).not.toHaveProperty('dataSource');
  });

  test('a pending claim does not change, except for its volume and a missing class', () => {
    const update = (change: JsonObject) => updateProblems(PersistentVolumeClaim, stored(), change);
    expect(update({ 'spec.volumeName': 'disk', 'spec.storageClassName': 'gold' })).toEqual([]);
    expect(update({ 'spec.resources.requests.storage': '2Gi' })).toEqual([
      'spec: Forbidden: spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims\n' +
        '  core.PersistentVolumeClaimSpec{\n' +
        '- \tresources: {"requests":{"storage":"1Gi"}},\n' +
        '+ \tresources: {"requests":{"storage":"2Gi"}},\n' +
        '  }\n',
    ]);
    expect(update({ 'spec.volumeMode': 'Block' }).at(-1)).toBe(
      'volumeMode: Invalid value: "Block": field is immutable',
    );
  });

  test('a bound claim grows, and never shrinks', () => {
    const update = (storage: string) =>
      updateProblems(PersistentVolumeClaim, bound(), { 'spec.resources.requests.storage': storage });
    expect(update('2Gi')).toEqual([]);
    expect(update('512Mi')).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than previous value',
    ]);
  });

  test('a volume is named once', () => {
    const old = bound({ volumeName: 'disk' });
    expect(updateProblems(PersistentVolumeClaim, old, { 'spec.volumeName': 'other' })[0]).toContain(
      '- \tvolumeName: "disk"',
    );
    expect(updateProblems(PersistentVolumeClaim, old, { 'spec.volumeName': undefined })).toHaveLength(1);
  });

  test('a failed expansion can be undone down to the capacity, once the claim records one', () => {
    const old = freeze({
      ...bound({ resources: { requests: { storage: '4Gi' } } }),
      status: { phase: 'Bound', capacity: { storage: '1Gi' }, allocatedResources: { storage: '4Gi' } },
    });
    const update = (storage: string) =>
      updateProblems(PersistentVolumeClaim, old, { 'spec.resources.requests.storage': storage });
    expect(update('2Gi')).toEqual([]);
    expect(update('1Gi')).toEqual([
      'spec.resources.requests.storage: Forbidden: field can not be less than status.capacity',
    ]);
  });

  test('the class moves from the deprecated annotation to the field, and the annotation does not change', () => {
    const annotation = 'volume.beta.orch.io/storage-class';
    const old = create(PersistentVolumeClaim, claim({}, { annotations: { [annotation]: 'gold' } }));
    expect(updateProblems(PersistentVolumeClaim, old, { 'spec.storageClassName': 'gold' })).toEqual([]);
    expect(updateProblems(PersistentVolumeClaim, old, { 'spec.storageClassName': 'iron' })).toHaveLength(1);
    expect(updateProblems(PersistentVolumeClaim, old, { 'metadata.annotations': { [annotation]: 'iron' } })).toEqual([
      `metadata.annotations[${annotation}]: Invalid value: "iron": field is immutable`,
    ]);
  });

  test('the attributes class changes only while the feature is enabled', () => {
    const old = freeze({ ...bound(), spec: { ...specOf(bound()), volumeAttributesClassName: 'slow' } });
    expect(updateProblems(PersistentVolumeClaim, old, { 'spec.volumeAttributesClassName': 'fast' })).toEqual([
      'spec.volumeAttributesClassName: Forbidden: update is forbidden when the VolumeAttributesClass feature gate is disabled',
    ]);
    const context = contextOf(orch, { VolumeAttributesClass: true });
    const update = (value: string | undefined): string[] =>
      texts(
        PersistentVolumeClaim.strategy?.validateUpdate?.(
          freeze(changed(old, { 'spec.volumeAttributesClassName': value }) as StoredObject),
          old,
          context,
        ),
      );
    expect(update('fast')).toEqual([]);
    expect(update('')).toEqual([
      'spec.volumeAttributesClassName: Forbidden: update from non-nil value to an empty string is forbidden',
    ]);
    expect(update(undefined).at(-1)).toBe(
      'spec.volumeAttributesClassName: Forbidden: update from non-nil value to nil is forbidden',
    );
  });

  test('the status has valid amounts and states of a resize', () => {
    const status = subresourceStrategy(PersistentVolumeClaim, 'status');
    const write = (change: JsonObject, gates: Gates = {}): string[] => {
      const object = changed(bound(), { ...change, 'spec.accessModes': [] });
      atOnce(status.prepareForUpdate(object, bound(), contextOf(orch, gates)));
      return texts(status.validateUpdate?.(freeze(object as StoredObject), bound(), contextOf(orch, gates)));
    };
    const resize = {
      'status.allocatedResources': { storage: '-1', cpu: '1' },
      'status.allocatedResourceStatuses': { storage: 'Odd' },
    };
    expect(write({ 'status.capacity': { storage: '-1' }, ...resize })).toEqual([
      'status.capacity[storage]: Invalid value: "-1": must be greater than or equal to 0',
    ]);
    expect(write(resize, { RecoverVolumeExpansionFailure: true })).toEqual([
      'status.allocatedResourceStatus: Unsupported value: "storage": supported values: "ControllerResizeInProgress", "ControllerResizeInfeasible", "NodeResizeInProgress", "NodeResizeInfeasible", "NodeResizePending"',
      'status.allocatedResources[storage]: Invalid value: "-1": must be greater than or equal to 0',
      'status.allocatedResources: Unsupported value: "cpu": supported values: "storage"',
    ]);
  });

  test('warns of amounts with a fraction of a byte', () => {
    const object = stored({ resources: { requests: { storage: '1500m' } } });
    expect(atOnce(PersistentVolumeClaim.strategy?.warnings?.(object, undefined, contextOf()))).toEqual([
      'spec.resources.requests[storage]: fractional byte value "1500m" is invalid, must be an integer',
    ]);
  });

  test('its table row has the volume once the claim is bound', () => {
    expect(cells(PersistentVolumeClaim, stored({ storageClassName: 'gold' }))).toMatchObject({
      Status: 'Pending',
      Volume: '',
      Capacity: '',
      'Access Modes': '',
      StorageClass: 'gold',
      VolumeAttributesClass: '<unset>',
      VolumeMode: 'Filesystem',
    });
    const object = freeze({
      ...bound({ volumeName: 'disk' }),
      status: { phase: 'Bound', capacity: { storage: '2Gi' }, accessModes: ['ReadWriteOncePod'] },
    });
    expect(cells(PersistentVolumeClaim, object)).toMatchObject({
      Status: 'Bound',
      Volume: 'disk',
      Capacity: '2Gi',
      'Access Modes': 'RWOP',
    });
  });
});
