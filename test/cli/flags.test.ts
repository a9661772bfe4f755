import { getHeapStatistics } from 'node:v8';
import { describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/usage-error.js';
import type { Flags } from '../../src/cli/flags/flag.js';
import { flagsAsMarkdown, flagsAsText } from '../../src/cli/flags/help.js';
import {
  address,
  bool,
  count,
  duration,
  heapMemory,
  ifGiven,
  list,
  oneOf,
  pairs,
  port,
  repeated,
  text,
} from '../../src/cli/flags/kinds.js';
import { parseFlags } from '../../src/cli/flags/parse.js';
import { topic } from '../../src/cli/flags/topic.js';

const HEAP_MI = Math.floor(getHeapStatistics().heap_size_limit / 2 ** 20);

const flags = {
  name: text('NAME', 'nobody', 'Who it is for.'),
  port: port(80, 'Where.'),
  quiet: { ...bool(false, 'Says nothing.'), shorthand: 'q' },
  wait: duration('1s', 'How long.'),
  level: { ...count('N', 0, 'How much.'), shorthand: 'v' },
  at: address('127.0.0.1', 'Which address.'),
  colour: oneOf(
    'COLOUR',
    new Map([
      ['red', 1],
      ['blue', 2],
    ]),
    'red',
    1,
    'Which colour.',
  ),
  gates: pairs('PAIRS', 'Which | features.', (value) => {
    if (value.includes('bad')) throw new Error('the value is invalid');
  }),
  names: list('NAMES', ['one', 'two'], 'Which names.'),
  claim: repeated('CLAIM', 'Which claims.'),
  sure: ifGiven(bool(true, 'Whether sure.')),
  memory: heapMemory('25%', 'How much.'),
  some: ifGiven(list('NAMES', ['x'], 'Which of them.')),
} satisfies Flags;

const defaults = {
  name: 'nobody',
  port: 80,
  quiet: false,
  wait: 1000,
  level: 0,
  at: '127.0.0.1',
  colour: 1,
  gates: '',
  names: ['one', 'two'],
  claim: [],
  sure: undefined,
  memory: Math.floor(getHeapStatistics().heap_size_limit / 4),
  some: undefined,
};

describe('valid flags', () => {
  it.each<[words: string[], values: object]>([
    [[], {}],
    [['--name', 'x'], { name: 'x' }],
    [['--name=x'], { name: 'x' }],
    [['--name=a=b\nc'], { name: 'a=b\nc' }],
    [['--name='], { name: '' }],
    [['--name', '--port'], { name: '--port' }],
    [['--name=x', '--name', 'y'], { name: 'y' }],
    [['--memory=1Mi'], { memory: 1_048_576 }],
    [['--memory=1.5k'], { memory: 1500 }],
    [['--memory=12.5%'], { memory: Math.floor(getHeapStatistics().heap_size_limit / 8) }],
    [['--port', '0'], { port: 'none' }],
    [['--port=auto'], { port: 'any' }],
    [['--port=65535'], { port: 65535 }],
    [['--quiet'], { quiet: true }],
    [['--quiet=F'], { quiet: false }],
    [['-q'], { quiet: true }],
    [['-v', '3'], { level: 3 }],
    [['-v=3'], { level: 3 }],
    [['--wait', '1h2m3.5s4ms'], { wait: 3_723_504 }],
    [['--wait=0'], { wait: 0 }],
    [['--at', '::'], { at: '::' }],
    [['--colour=blue'], { colour: 2 }],
    [['--gates=a=true', '--gates', 'b=false'], { gates: 'a=true,b=false' }],
    [['--names=a'], { names: ['a'] }],
    [['--names=a,b', '--names', '', '--names=c'], { names: ['a', 'b', 'c'] }],
    [['--names='], { names: [] }],
    [['--names=a, ,"b,""c"",d",'], { names: ['a', ' ', 'b,"c",d', ''] }],
    [['--claim=a=b,c', '--claim', '', '--claim=a=b,c'], { claim: ['a=b,c', '', 'a=b,c'] }],
    [['--sure'], { sure: true }],
    [['--sure=false', '--sure=true'], { sure: true }],
    [['--some=y', '--some=z'], { some: ['y', 'z'] }],
  ])('%j', (words, values) => {
    expect(parseFlags(flags, words)).toEqual({ ...defaults, ...values });
  });
});

describe('invalid flags', () => {
  it.each<[words: string[], message: string]>([
    [['x'], 'unexpected argument "x"'],
    [[''], 'unexpected argument ""'],
    [['--quiet', 'true'], 'unexpected argument "true"'],
    [['--nothing'], 'unknown flag: --nothing'],
    [['--prot=1'], 'unknown flag: --prot (did you mean --port?)'],
    [['--Color', 'red'], 'unknown flag: --Color (did you mean --colour?)'],
    [['--constructor=1'], 'unknown flag: --constructor'],
    [['-x'], "unknown shorthand flag: 'x' in -x"],
    [['--'], 'bad flag syntax: --'],
    [['--=x'], 'bad flag syntax: --=x'],
    [['---name'], 'bad flag syntax: ---name'],
    [['--name'], 'flag needs an argument: --name'],
    [['-v'], 'flag needs an argument: -v'],
    [['-v', 'much'], 'invalid argument "much" for "-v, --level" flag: must be a non-negative integer'],
    [
      ['--port=-1'],
      'invalid argument "-1" for "--port" flag: must be a number between 0 and 65535, or auto for any free port',
    ],
    [
      ['--port', '65536'],
      'invalid argument "65536" for "--port" flag: 65536 is not a valid port: must be between 0 and 65535, inclusive',
    ],
    [
      ['--quiet=perhaps'],
      'invalid argument "perhaps" for "-q, --quiet" flag: strconv.ParseBool: parsing "perhaps": invalid syntax',
    ],
    [['--wait=5'], 'invalid argument "5" for "--wait" flag: must be a duration such as 500ms, 5s or 1m30s'],
    [['--at=localhost'], 'invalid argument "localhost" for "--at" flag: failed to parse IP: "localhost"'],
    [['--colour=green'], 'invalid argument "green" for "--colour" flag: must be one of red, blue'],
    [['--gates=ok', '--gates=bad'], 'invalid argument "bad" for "--gates" flag: the value is invalid'],
    [['--gates=bad', '--gates=ok'], 'invalid argument "bad" for "--gates" flag: the value is invalid'],
    [
      ['--memory=much'],
      'invalid argument "much" for "--memory" flag: must be a share (25%) or a quantity of bytes (256Mi): quantities must match the regular expression \'^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$\'',
    ],
    [
      ['--memory=0'],
      `invalid argument "0" for "--memory" flag: must be greater than 0 and at most the maximum heap of this process, ${HEAP_MI}Mi (node --max-old-space-size)`,
    ],
    [
      ['--memory=200%'],
      `invalid argument "200%" for "--memory" flag: must be greater than 0 and at most the maximum heap of this process, ${HEAP_MI}Mi (node --max-old-space-size)`,
    ],
    [
      ['--port=x', '--port=1'],
      'invalid argument "x" for "--port" flag: must be a number between 0 and 65535, or auto for any free port',
    ],
    [
      ['--names=a"b'],
      'invalid argument "a\\"b" for "--names" flag: parse error on line 1, column 2: bare " in non-quoted field',
    ],
  ])('%j', (words, message) => {
    expect(() => parseFlags(flags, words)).toThrow(new UsageError(message));
  });
});

describe('help', () => {
  const some: Flags = { name: flags.name, quiet: flags.quiet, gates: flags.gates };

  it('shows syntax, defaults and descriptions', () => {
    expect(flagsAsText(some)).toBe(
      'Flags:\n  --name NAME\n      Who it is for. (default nobody)\n  -q, --quiet\n      Says nothing.\n  --gates PAIRS\n      Which | features.\n',
    );
  });

  it('shows the default of a list, and of an optional flag', () => {
    const { names, claim, sure } = flags;
    expect(flagsAsText({ names, claim, sure })).toBe(
      'Flags:\n  --names NAMES\n      Which names. (default one,two)\n  --claim CLAIM\n      Which claims.\n  --sure\n      Whether sure. (default true)\n',
    );
  });

  it('groups the flags by topic, those without one first', () => {
    const grouped = {
      ...topic('Who', { name: flags.name }),
      ...topic('How', { quiet: flags.quiet }),
      gates: flags.gates,
    };
    const also = { ...grouped, ...topic('Who', { names: flags.names }) };
    expect(flagsAsText(also).match(/^(\S.*:|  -.*)$/gm)).toEqual([
      'Flags:',
      '  --gates PAIRS',
      'Who:',
      '  --name NAME',
      '  --names NAMES',
      'How:',
      '  -q, --quiet',
    ]);
    expect(flagsAsMarkdown(also).match(/^(\*\*.*|\| `--?[a-z]+)/gm)).toEqual([
      '**Flags**',
      '| `--gates',
      '**Who**',
      '| `--name',
      '| `--names',
      '**How**',
      '| `-q',
    ]);
  });

  it('wraps long descriptions', () => {
    const lines = flagsAsText({ long: text('X', '', 'word '.repeat(60).trim()) }).split('\n');
    expect(lines.length).toBeGreaterThan(4);
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(100);
  });

  it('is a table in Markdown', () => {
    expect(flagsAsMarkdown(some).split('\n')).toEqual([
      '| Flag | Default | What it does |',
      '|---|---|---|',
      '| `--name NAME` | `nobody` | Who it is for. |',
      '| `-q, --quiet` |  | Says nothing. |',
      '| `--gates PAIRS` |  | Which \\| features. |',
    ]);
  });
});
