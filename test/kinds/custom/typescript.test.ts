import { format } from 'prettier';
import ts from 'typescript';
import { describe, expect, test } from 'vitest';
import { crdToTypescript } from '../../../src/kinds/custom/sources/index.js';
import { parse } from 'yaml';
import { widgetDefinition, WIDGETS } from './definitions.js';

/** A definition with a schema of the fields. */
const definitionOf = (properties: object, facts: object = {}, version: object = {}) => ({
  ...widgetDefinition(),
  spec: {
    ...widgetDefinition().spec,
    versions: [{ name: 'v1', schema: { openAPIV3Schema: { type: 'object', properties, ...facts } }, ...version }],
  },
});

/** Checks the layout and compiles. Returns the messages of the compiler. */
async function problemsOf(text: string): Promise<readonly string[]> {
  expect(await format(text, { parser: 'typescript', printWidth: 120, singleQuote: true })).toBe(text);
  const host = ts.createCompilerHost({});
  const read = host.getSourceFile.bind(host);
  const options: ts.CompilerOptions = { noLib: true, strict: true, types: [] };
  const library = `interface Array<T> {} interface Boolean {} interface CallableFunction {} interface Function {}
    interface IArguments {} interface NewableFunction {} interface Number {} interface Object {} interface RegExp {}
    interface String {} type Record<K extends string, T> = { [P in K]: T };
    declare module 'orch-apiserver' { export interface ObjectMeta { name?: string } }`;
  const files: Readonly<Record<string, string>> = { 'types.ts': text, 'library.d.ts': library };
  host.getSourceFile = (name, target) =>
    files[name] === undefined ? read(name, target) : ts.createSourceFile(name, files[name], target);
  host.fileExists = (name) => name in files;
  const program = ts.createProgram(Object.keys(files), options, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, ' '));
}

describe('crdToTypescript', () => {
  test('prints the versions of a definition', async () => {
    const text = crdToTypescript(parse(WIDGETS) as object);
    expect(await problemsOf(text)).toEqual([]);
    expect(text).toMatchInlineSnapshot(`
      "import type { ObjectMeta } from 'orch-apiserver';

      /** A thing to sell. */
      export interface V1Widget {
        apiVersion: 'shop.example/v1';
        kind: 'Widget';
        metadata: ObjectMeta;
        spec: V1WidgetSpec;
        status?: V1WidgetStatus;
      }

      export interface V1WidgetSpec {
        color: 'red' | 'green';
        /**
         * The size.
         * @default 1
         */
        size?: number;
        port?: number | string;
        free?: Record<string, unknown>;
        parts?: V1WidgetSpecPartsItem[];
      }

      export interface V1WidgetSpecPartsItem {
        name: string;
        count?: number;
      }

      export interface V1WidgetStatus {
        ready?: boolean;
      }

      /** The kind Widget of shop.example/v1alpha1. */
      export interface V1alpha1Widget {
        apiVersion: 'shop.example/v1alpha1';
        kind: 'Widget';
        metadata: ObjectMeta;
        spec?: V1alpha1WidgetSpec;
      }

      export interface V1alpha1WidgetSpec {
        color?: string;
      }
      "
    `);
  });

  test('prints every form of a schema', async () => {
    const long = Array.from({ length: 12 }, (_, index) => `LongEnoughValue${index}`);
    const words = Array.from({ length: 40 }, (_, index) => `word${index}`).join(' ');
    const text = crdToTypescript(
      definitionOf(
        {
          apiVersion: { type: 'string' },
          'with-hyphen': { type: 'string', default: 'x', description: 'Ends a comment: */ and goes on.' },
          quoted: { type: 'string', enum: ["it's", 'a "word"', '\n'] },
          numbers: { type: 'integer', enum: [1, 2] },
          mode: { type: 'string', enum: long, nullable: true, description: words },
          modes: { type: 'array', items: { type: 'string', enum: long } },
          few: { type: 'array', items: { type: 'string', enum: ['a', 'b'] } },
          nullables: { type: 'array', nullable: true, items: { type: 'number', nullable: true } },
          map: { type: 'object', additionalProperties: { type: 'object', properties: { a: { type: 'boolean' } } } },
          matrix: { type: 'array', items: { type: 'array', items: { 'x-orch-int-or-string': true } } },
          anything: { 'x-kubernetes-preserve-unknown-fields': true },
          open: { type: 'object', properties: { a: { type: 'string' } }, 'x-orch-preserve-unknown-fields': true },
          free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
          empty: { type: 'object' },
          all: { type: 'object', additionalProperties: true },
          template: {
            type: 'object',
            'x-kubernetes-embedded-resource': true,
            'x-kubernetes-preserve-unknown-fields': true,
            properties: {
              metadata: { type: 'object' },
              spec: { type: 'object', required: ['a'], properties: { a: {} } },
            },
          },
          'x-kubernetes-int-or-string': { type: 'string' },
          modesItem: { type: 'object', properties: { a: { type: 'string' } } },
          __proto__: { type: 'string' },
        },
        { required: ['map', 'numbers'], description: `Two lines:\n\n    ${words}\n` },
        { deprecated: true, deprecationWarning: 'use v2' },
      ),
    );
    expect(await problemsOf(text)).toEqual([]);
    expect(text).toMatchInlineSnapshot(`
      "import type { ObjectMeta } from 'orch-apiserver';

      /**
       * Two lines:
       *
       *     word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16
       *     word17 word18 word19 word20 word21 word22 word23 word24 word25 word26 word27 word28 word29 word30 word31 word32
       *     word33 word34 word35 word36 word37 word38 word39
       *
       * @deprecated use v2
       */
      export interface V1Widget {
        apiVersion: 'shop.example/v1';
        kind: 'Widget';
        metadata: ObjectMeta;
        /**
         * Ends a comment: *\\/ and goes on.
         * @default "x"
         */
        'with-hyphen'?: string;
        quoted?: "it's" | 'a "word"' | '\\n';
        numbers: 1 | 2;
        /**
         * word0 word1 word2 word3 word4 word5 word6 word7 word8 word9 word10 word11 word12 word13 word14 word15 word16 word17
         * word18 word19 word20 word21 word22 word23 word24 word25 word26 word27 word28 word29 word30 word31 word32 word33
         * word34 word35 word36 word37 word38 word39
         */
        mode?: V1WidgetMode | null;
        modes?: V1WidgetModesItem[];
        few?: ('a' | 'b')[];
        nullables?: (number | null)[] | null;
        map: Record<string, V1WidgetMapValue>;
        matrix?: (number | string)[][];
        anything?: unknown;
        open?: V1WidgetOpen;
        free?: Record<string, unknown>;
        empty?: Record<string, never>;
        all?: Record<string, unknown>;
        template?: V1WidgetTemplate;
        'x-kubernetes-int-or-string'?: string;
        modesItem?: V1WidgetModesItem2;
      }

      export type V1WidgetMode =
        | 'LongEnoughValue0'
        | 'LongEnoughValue1'
        | 'LongEnoughValue2'
        | 'LongEnoughValue3'
        | 'LongEnoughValue4'
        | 'LongEnoughValue5'
        | 'LongEnoughValue6'
        | 'LongEnoughValue7'
        | 'LongEnoughValue8'
        | 'LongEnoughValue9'
        | 'LongEnoughValue10'
        | 'LongEnoughValue11';

      export type V1WidgetModesItem =
        | 'LongEnoughValue0'
        | 'LongEnoughValue1'
        | 'LongEnoughValue2'
        | 'LongEnoughValue3'
        | 'LongEnoughValue4'
        | 'LongEnoughValue5'
        | 'LongEnoughValue6'
        | 'LongEnoughValue7'
        | 'LongEnoughValue8'
        | 'LongEnoughValue9'
        | 'LongEnoughValue10'
        | 'LongEnoughValue11';

      export interface V1WidgetMapValue {
        a?: boolean;
      }

      export interface V1WidgetOpen {
        a?: string;
        [field: string]: unknown;
      }

      export interface V1WidgetTemplate {
        apiVersion: string;
        kind: string;
        metadata?: ObjectMeta;
        spec?: V1WidgetTemplateSpec;
        [field: string]: unknown;
      }

      export interface V1WidgetTemplateSpec {
        a: unknown;
      }

      export interface V1WidgetModesItem2 {
        a?: string;
      }
      "
    `);
  });

  test('gives distinct names to the types of several definitions', async () => {
    const other = { ...widgetDefinition({ group: 'other.example' }) };
    const text = crdToTypescript([widgetDefinition(), other]);
    expect(await problemsOf(text)).toEqual([]);
    expect(text.match(/(?<=export interface )\w+/g)).toEqual([
      'V1Widget',
      'V1WidgetSpec',
      'V1alpha1Widget',
      'V1alpha1WidgetSpec',
      'V1Widget2',
      'V1Widget2Spec',
      'V1alpha1Widget2',
      'V1alpha1Widget2Spec',
    ]);
    expect(text).toBe(crdToTypescript([widgetDefinition(), other]));
  });

  test('accepts a version without a schema', async () => {
    const text = crdToTypescript(definitionOf({}, {}, { schema: undefined }));
    expect(await problemsOf(text)).toEqual([]);
    expect(text).toContain('  metadata: ObjectMeta;\n  [field: string]: unknown;\n}');
  });

  test('refuses other objects', () => {
    expect(() => crdToTypescript({ kind: 'Pod' })).toThrow(
      'crdToTypescript: the argument must be a CustomResourceDefinition, got an object',
    );
    expect(() => crdToTypescript('crd.yaml' as never)).toThrow(TypeError);
  });
});
