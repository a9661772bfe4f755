/**
 * Tests that may be skipped although all programs are installed, with the reason. Any other skip fails `.ci/run`: a
 * test that does not run proves nothing.
 */
export const allowedSkips = [
  {
    test: /client-node-2 .*needs Node/,
    reason: 'version 2 of the client library does not load on Node 20; version 1 is tested there',
  },
  { test: /^test\/docs\.test\.ts .*client-node/, reason: 'version 2 of the client library does not load on Node 20' },
  {
    test: /^test\/conformance\/kubectl\/kubectl\.test\.ts .*wait for a value$/,
    reason: 'kubectl before 1.23 has no such wait',
  },
  {
    test: /^test\/conformance\/kubectl\/patch\.test\.ts .*a subresource$/,
    reason: 'kubectl before 1.24 has no --subresource',
  },
  {
    test: /^test\/cli\/kubectl\.test\.ts .*(create token|auth whoami)/,
    reason: 'kubectl before 1.24 has no create token, and before 1.28 no auth whoami',
  },
  {
    test: /^test\/conformance\/kubectl\/access\.test\.ts .*(create token|auth whoami)/,
    reason: 'kubectl before 1.24 has no create token, and before 1.28 no auth whoami',
  },
  {
    test: /^test\/client\/kubeconfig\/kubectl\.test\.ts /,
    reason: 'kubectl before 1.26 has other messages and plugin inputs',
  },
  { test: /^test\/client\/kubeconfig\/terminal\.test\.ts /, reason: 'only Linux has this script(1)' },
  {
    test: /^test\/examples\/go(-lease)?\.test\.ts /,
    reason: 'go is not installed, or its modules cannot be downloaded',
  },
  {
    test: /^test\/examples\/python\.test\.ts /,
    reason: 'python3 with pytest is not installed, or pip cannot download',
  },
  { test: /^test\/client\/browser\/chromium\.test\.ts /, reason: 'Chromium is not installed' },
  { test: /^test\/transport\/.*\(cannot: /, reason: 'the transport itself cannot do it, as the title says' },
];
