import { encodeYaml, parseYaml } from '../../src/server/codec/index.js';
import { interleaved, type Measure } from './measure.js';

const ROUNDS = 9;
const OBJECTS = 1_000;

const deployment = (index: number) => ({
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: `web-${index}`, namespace: 'default', labels: { app: 'web', tier: 'front' } },
  spec: {
    replicas: 3,
    selector: { matchLabels: { app: 'web' } },
    template: {
      metadata: {
        labels: { app: 'web' },
        annotations: { description: 'Serves the pages of the shop, and its images.' },
      },
      spec: {
        containers: [
          {
            name: 'web',
            image: 'registry.example.com/web:1.2.3',
            args: ['--port=8080', '--verbose'],
            env: [{ name: 'GREETING', value: 'some words with spaces' }],
            resources: { limits: { cpu: '500m', memory: '128Mi' } },
          },
        ],
      },
    },
  },
});

/** The cost of YAML over that of JSON, for the same objects in the same run. */
export async function yaml(): Promise<Measure[]> {
  const list = { kind: 'List', items: Array.from({ length: OBJECTS }, (_, index) => deployment(index)) };
  const json = JSON.stringify(list);
  const text = encodeYaml(list);
  const bytes = new TextEncoder().encode(text);
  const comments = new TextEncoder().encode(`kind: List\n${'# a comment of some words\n'.repeat(40_000)}`);
  const words = { data: 'some words with spaces '.repeat(45_000) };
  let sink: unknown;
  const costs = await interleaved(ROUNDS, {
    parseJson: () => {
      sink = JSON.parse(json);
    },
    parseYaml: async () => {
      sink = await parseYaml(bytes);
    },
    comments: async () => {
      sink = await parseYaml(comments);
    },
    encodeJson: () => {
      sink = JSON.stringify(list);
    },
    encodeYaml: () => {
      sink = encodeYaml(list);
    },
    words: () => {
      sink = encodeYaml(words);
    },
  });
  if (sink === undefined) throw new Error('nothing was measured');
  const ratio = (name: string, one: keyof typeof costs, other: keyof typeof costs, most: number): Measure => ({
    name,
    value: costs[one].wallUs / costs[other].wallUs,
    unit: '×',
    target: { sense: '<=', value: most },
    detail: `${(costs[one].wallUs / 1000).toFixed(1)} against ${(costs[other].wallUs / 1000).toFixed(1)} ms`,
  });
  return [
    {
      ...ratio(`YAML of ${OBJECTS} Deployments read, over JSON.parse`, 'parseYaml', 'parseJson', 30),
      detail: `${((costs.parseYaml.wallUs * 1000) / bytes.length).toFixed(0)} ns a byte of ${(bytes.length / 1e6).toFixed(2)} MB`,
    },
    ratio('1 MB of comments in YAML read, over JSON.parse of the Deployments', 'comments', 'parseJson', 5),
    ratio(`YAML of ${OBJECTS} Deployments written, over JSON.stringify`, 'encodeYaml', 'encodeJson', 60),
    ratio('1 MB of words written as YAML, over JSON.stringify of the Deployments', 'words', 'encodeJson', 10),
  ];
}
