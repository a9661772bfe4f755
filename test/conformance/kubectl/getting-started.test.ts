/** Runs kubectl with the kubeconfig that docs/guides/getting-started.md makes. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { PROGRAM, toolMinor } from './kubectl.js';

const root = fileURLToPath(new URL('../../../', import.meta.url));

it.skipIf(toolMinor === undefined)(
  'kubectl is the owner of the server of the guide',
  { timeout: 300_000 },
  async () => {
    const text = readFileSync(`${root}docs/guides/getting-started.md`, 'utf8');
    const [snippet = ''] = [...text.matchAll(/^```ts\n([^]*?)^```$/gm)]
      .map(([, code = '']) => code)
      .filter((code) => code.includes('server.kubeConfig('));
    // Inside of the folder of the project, which the snippet imports.
    const folder = `${root}node_modules/.cache/getting-started-${process.pid}/`;
    mkdirSync(folder, { recursive: true });
    onTestFinished(() => rmSync(folder, { recursive: true }));
    const words = ['--kubeconfig', `${folder}kubeconfig`, 'auth', 'can-i', 'create', 'namespaces'];
    writeFileSync(
      `${folder}snippet.ts`,
      `${snippet}
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
writeFileSync(${JSON.stringify(`${folder}kubeconfig`)}, kubeConfig);
export const printed = await promisify(execFile)(${JSON.stringify(PROGRAM)}, ${JSON.stringify(words)});
`,
    );
    const { printed } = (await import(/* @vite-ignore */ `${folder}snippet.ts`)) as { printed: { stdout: string } };
    expect(printed.stdout).toBe('yes\n');
  },
);
