/** Every built-in type and every field of it is described, once. */
import { describe, expect, test } from 'vitest';
import catalogue from '../../../scripts/kinds/catalogue/types.json' with { type: 'json' };
import { fieldDescription, typeDescription } from '../../../src/kinds/facts/descriptions.js';

interface Field {
  readonly name?: string;
  readonly inline?: boolean;
  readonly ref?: string;
}

/** The types with the fields that JSON has, without lists and without the metadata that the code declares by hand. */
const described = (catalogue.types as readonly { readonly name: string; readonly fields: readonly Field[] }[])
  .filter(({ name }) => !/\.(ObjectMeta|OwnerReference|ManagedFieldsEntry)$/.test(name))
  .filter(({ fields }) => !fields.some(({ ref }) => ref?.endsWith('.ListMeta') === true))
  .map(({ name, fields }) => ({ type: name.split('.').slice(-3).join('.'), fields }));

const fieldsOf = (type: string): readonly Field[] =>
  (described.find((one) => one.type === type)?.fields ?? []).flatMap((field) =>
    field.inline === true ? fieldsOf(field.ref?.split('.').slice(-3).join('.') ?? '') : [field],
  );

test('no type is without a description', () => {
  expect(described.length).toBeGreaterThan(500);
  expect(described.map(({ type }) => type).filter((type) => (typeDescription(type) ?? '') === '')).toEqual([]);
});

test('no field is without a description', () => {
  const fields = described.flatMap(({ type }) => fieldsOf(type).map(({ name = '' }) => [type, name] as const));
  expect(fields.length).toBeGreaterThan(2000);
  expect(fields.filter(([type, field]) => (fieldDescription(type, field) ?? '') === '')).toEqual([]);
});

test('a description begins as a sentence and ends as one', () => {
  const texts = described.flatMap(({ type }) => [
    typeDescription(type) ?? '',
    ...fieldsOf(type).map(({ name = '' }) => fieldDescription(type, name) ?? ''),
  ]);
  expect(texts.filter((text) => !/^[A-Z0-9].*\.$/.test(text))).toEqual([]);
});

describe('a description is found', () => {
  test('in any version of a group', () => {
    expect(fieldDescription('flowcontrol.v1beta3.FlowSchemaSpec', 'rules')).toBe(
      fieldDescription('flowcontrol.v1.FlowSchemaSpec', 'rules'),
    );
  });

  test('at the type that another one is like', () => {
    expect(fieldDescription('core.v1.EphemeralContainer', 'image')).toBe('The image.');
    expect(fieldDescription('apps.v1.DeploymentCondition', 'lastTransitionTime')).toBe('When the status last changed.');
  });

  test('among the fields that mean the same everywhere', () => {
    expect(fieldDescription('core.v1.ISCSIVolumeSource', 'fsType')).toMatch(/^The file system of the volume/);
  });

  test('for a vendor extension, whatever its dialect', () => {
    expect(fieldDescription('apiextensions.v1.JSONSchemaProps', 'x-example-list-type')).toMatch(
      /^How the list is merged/,
    );
  });

  test('for nothing else', () => {
    expect(fieldDescription('core.v1.Container', 'constructor')).toBeUndefined();
    expect(fieldDescription('core.v1.Nothing', 'metadata')).toBeUndefined();
    expect(typeDescription('shop.v1.Pod')).toBeUndefined();
  });
});
