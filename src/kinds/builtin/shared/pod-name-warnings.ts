import { dnsLabelErrors } from '../../../foundation/index.js';

/** Returns the warning for the name of an object whose pods get a hostname from it, when it is not a DNS label. */
export function podNameWarnings(name: string | undefined): string[] {
  const problems = dnsLabelErrors(name ?? '');
  if (problems.length === 0) return [];
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${problems.join(' ')}]`,
  ];
}
