import { describe, expect, test } from 'vitest';
import { sources, textOf } from './project.js';

/** A rule that can be checked in the text alone. */
interface Rule {
  readonly name: string;
  readonly pattern: RegExp;
  /** The exceptions, with their reasons. */
  readonly except?: RegExp;
  /** Comments are exempt. */
  readonly codeOnly?: true;
}

const rules: readonly Rule[] = [
  {
    name: 'names and domains of products are only in src/foundation/dialect',
    pattern: /k8s\.io|kubernetes\.io|orch\.io|kube-system|orch-system/,
    except: /^src\/foundation\/dialect\//,
  },
  {
    name: 'the clock is injected',
    pattern: /\bDate\.now\b|\bnew Date\(\)/,
    except: /^src\/foundation\/host\/system-runtime\.ts$/,
    codeOnly: true,
  },
  {
    name: 'timers are injected',
    pattern: /(?<![.\w])(setTimeout|setInterval)\(/,
    except: /^src\/foundation\/host\/system-runtime\.ts$/,
    codeOnly: true,
  },
  {
    name: 'only write batching and, in one place, long work wait for turns of the event loop',
    pattern: /(?<![.\w])setImmediate\(|'setImmediate'/,
    except: /^src\/(foundation\/async\/turn|storage\/sqlite\/write-queue)\.ts$/,
    codeOnly: true,
  },
  {
    name: 'entropy is injected',
    pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/,
    except: /^src\/foundation\/host\/system-runtime\.ts$/,
    codeOnly: true,
  },
  { name: 'there are no open tasks', pattern: /\b(TODO|FIXME|XXX|HACK)\b|not (yet )?implemented/i },
  {
    name: 'types have no holes',
    pattern: /: any\b|\bas any\b|<any>|\bany\[\]|\bas unknown as\b|@ts-ignore|@ts-nocheck|@ts-expect-error/,
    codeOnly: true,
  },
  {
    name: 'only the default logger and the kit of tests print',
    pattern: /\bconsole\./,
    except: /^src\/(foundation\/reporting\/logger|testing\/server\/snapshots)\.ts$/,
    codeOnly: true,
  },
  {
    name: 'Node modules are used only at the edges',
    pattern: /from 'node:|import\('node:/,
    except:
      /^src\/(transport\/(node|express|fastify)|cli|client\/(client-node|kubeconfig)|testing\/(record|saved-state)|storage\/(sqlite|etcd|remote|postgres|encrypted))\//,
    codeOnly: true,
  },
];

const lines = sources.flatMap((path) =>
  textOf(path)
    .split('\n')
    .map((text, index) => ({ path, text, place: `${path}:${index + 1}` })),
);
const isComment = (text: string): boolean => /^\s*(\/\/|\/\*|\*)/.test(text);

describe('rules for every line of the source', () => {
  test.each(rules)('$name', ({ pattern, except, codeOnly }) => {
    const broken = lines.filter(
      ({ path, text }) => pattern.test(text) && except?.test(path) !== true && !(codeOnly === true && isComment(text)),
    );
    expect(broken.map(({ place, text }) => `${place} ${text.trim()}`)).toEqual([]);
  });
});

test('a file is one idea: no file is longer than 600 lines', () => {
  // Written by a script from data.
  const isGenerated = (path: string): boolean => textOf(path).startsWith('// Made by scripts/');
  const lengths = sources
    .filter((path) => !isGenerated(path))
    .map((path) => ({ path, lines: textOf(path).split('\n').length - 1 }));
  expect(lengths.filter((file) => file.lines > 600)).toEqual([]);
});
