import { existsSync, readFileSync } from 'node:fs';

/** First Node version supported by the undici of the library's version 2. */
const VERSION_2_NEEDS = [22, 19] as const;

/**
 * Why a package with the library cannot be imported here; undefined if it can. Checked beforehand, since an import that
 * fails halfway leaves a rejection that no code can catch.
 */
export function problemOf(name: string): string | undefined {
  const manifest = new URL(`../../../node_modules/${name}/package.json`, import.meta.url);
  if (!existsSync(manifest)) return 'it is not installed';
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string };
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const [neededMajor, neededMinor] = VERSION_2_NEEDS;
  const isNewEnough = major > neededMajor || (major === neededMajor && minor >= neededMinor);
  return version.startsWith('1.') || isNewEnough
    ? undefined
    : `its version ${version} needs Node ${VERSION_2_NEEDS.join('.')} or later`;
}
