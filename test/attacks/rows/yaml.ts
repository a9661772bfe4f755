/** YAML bodies: of a review, which needs no right, and of an apply. */
import type { Request } from '../client.js';
import { MAPS } from '../kinds.js';
import type { Row } from '../row.js';
import { filled, nested, once, repeated } from '../texts.js';

const REVIEWS = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
const REVIEW =
  'apiVersion: authorization.k8s.io/v1\nkind: SelfSubjectAccessReview\nspec: {resourceAttributes: {verb: get}}\n';
const MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: applied}\n';

/** Lines behind the head of an object. */
const CONTENTS: Readonly<Record<string, () => string>> = {
  comments: () => repeated('# c\n'),
  'blank lines': () => repeated('\n'),
  'lines of spaces': () => repeated('   \n'),
  'lines of tabs': () => `x:\n${repeated('\t\n')}`,
  keys: () => filled((index) => `k${index}: 1\n`, ''),
  anchors: () => `x:\n${filled((index) => `- &a${index} 1\n`, '')}`,
  'aliases of one anchor': () => `x: &a {b: 1}\ny:\n${repeated('- *a\n')}`,
  'aliases of aliases': () =>
    `a0: &a0 [1,1,1,1,1,1,1,1,1]\n${Array.from({ length: 12 }, (_, i) => `a${i + 1}: &a${i + 1} [${Array(9).fill(`*a${i}`).join(',')}]\n`).join('')}`,
  'merge keys': () => `x: &a {b: 1, c: 2, d: 3}\ny:\n${repeated('- {<<: *a}\n')}`,
  'a large map merged often': () =>
    `x: &a\n${filled((index) => `  k${index}: 1\n`, '', 100_000)}y:\n${repeated('- <<: *a\n', 20_000)}`,
  tags: () => `x:\n${repeated('- !!str 1\n')}`,
  'a flow list': () => `x: [${repeated('1,')}1]\n`,
  'flow lists within each other': () => `x: ${nested('[', '1', ']', 100_000)}\n`,
  'block lists within each other': () => `x:\n  ${repeated('- ', 200_000)}1\n`,
  'maps within each other': () => `x:\n${Array.from({ length: 1_500 }, (_, i) => `${' '.repeat(i + 1)}a:\n`).join('')}`,
  'a literal of short lines': () => `x: |\n${repeated('  a\n')}`,
  'a folded text': () => `x: >\n${repeated('  a\n\n')}`,
  'a quoted text over many lines': () => `x: "${repeated('a\n  ')}"\n`,
  'escapes in a quoted text': () => `x: "${repeated('\\x41')}"\n`,
  'single quotes': () => `x: '${repeated("''")}'\n`,
  'a plain text over many lines': () => `x: a\n${repeated('  a\n')}`,
  documents: () => repeated('---\n'),
  'complex keys': () => `x:\n${repeated('  ? [a]\n  : 1\n')}`,
  'one long key': () => `${repeated('k')}: 1\n`,
  'numbers with underscores and bases': () => `x: [${repeated('0x1F,0b1,1_0,.inf,')}1]\n`,
  'a number with underscores': () => `x: 1${repeated('_0')}\n`,
  'a number of many digits': () => `x: 0x${repeated('f')}\n`,
  'a base-60 number': () => `x: 1${repeated(':1')}\n`,
  'a tag of escapes': () => `x: !${repeated('%41')} 1\n`,
  'a plain text in one line': () => `x: ${repeated('a ')}\n`,
  'equal keys': () => repeated('a: 1\n'),
  'keys that are numbers': () => filled((index) => `${index}.5: 1\n`, ''),
  'tag directives': () => `...\n${filled((index) => `%TAG !a${index}! tag:b\n`, '')}---\na: 1\n`,
  'an unclosed quote': () => `x: "${repeated('a ')}`,
  'an unclosed flow list': () => `x: [${repeated('[')}`,
};

const FLOODS = { one: 1, ten: 10 } as const;

const review = (body: () => string): Request => ({ method: 'POST', path: REVIEWS, type: 'application/yaml', body });
const apply = (body: () => string): Request => ({
  method: 'PATCH',
  path: `${MAPS}/applied?fieldManager=attacker&force=true`,
  type: 'application/apply-patch+yaml',
  body,
});

const rowsOf = ([content, lines]: [string, () => string]): Row[] =>
  Object.entries(FLOODS).flatMap(([count, times]): Row[] => {
    const asReview = once(() => REVIEW + lines());
    const asMap = once(() => MAP + lines());
    return [
      {
        name: `${content}, ${count} in reviews`,
        rights: 'none',
        sends: [{ request: review(asReview), times }],
        statuses: [201, 400, 413],
      },
      {
        name: `${content}, ${count} applied`,
        rights: 'edit',
        sends: [{ request: apply(asMap), times }],
        statuses: [200, 201, 400, 413, 422, 500],
        says: /"status":"Failure"|"kind":"ConfigMap"/,
      },
    ];
  });

/** The rows. */
export const yaml: readonly Row[] = Object.entries(CONTENTS).flatMap(rowsOf);
