import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** openssl in a separate directory, for one test file. */
export interface Openssl {
  /** Runs it and returns its output. @throws Error with its message when it fails */
  run(args: readonly string[], input?: string | Uint8Array): string;
  /** Writes a file, and returns its path. */
  file(name: string, content: string | Uint8Array): string;
}

export function opensslInDirectory(): Openssl {
  const directory = mkdtempSync(join(tmpdir(), 'pki-'));
  afterAll(() => rmSync(directory, { recursive: true, force: true }));
  return {
    run: (args, input = '') =>
      execFileSync('openssl', args, { cwd: directory, input, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] }),
    file(name, content) {
      const path = join(directory, name);
      writeFileSync(path, content);
      return path;
    },
  };
}

/** A certificate request to generate with openssl. */
export interface RequestOrder {
  /** For `-newkey`, with its options. */
  readonly key?: readonly string[];
  readonly subject?: string;
  /** Lines of the extensions section. */
  readonly extensions?: readonly string[];
  /** Lines of the attributes section. */
  readonly attributes?: readonly string[];
  readonly options?: readonly string[];
  /** Further sections. */
  readonly sections?: string;
}

export const P256_KEY: readonly string[] = ['ec', '-pkeyopt', 'ec_paramgen_curve:P-256'];

/** Lets openssl generate a certificate request, PEM. */
export function requestBy({ run, file }: Openssl, order: RequestOrder = {}): string {
  const {
    key = P256_KEY,
    subject = '/CN=alice',
    extensions = [],
    attributes = [],
    options = [],
    sections = '',
  } = order;
  const config = file(
    'request.cnf',
    [
      '[req]',
      'prompt = no',
      'distinguished_name = dn',
      'attributes = attributes',
      ...(extensions.length === 0 ? [] : ['req_extensions = extensions']),
      '[dn]',
      '[attributes]',
      ...attributes,
      '[extensions]',
      ...extensions,
      sections,
      '',
    ].join('\n'),
  );
  return run([
    'req',
    '-new',
    '-config',
    config,
    '-newkey',
    ...key,
    '-nodes',
    '-keyout',
    '/dev/null',
    '-subj',
    subject,
    '-utf8',
    ...options,
  ]);
}
