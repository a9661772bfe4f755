/** An intent for a Pod with three containers and about 60 leaves; `turn` changes one of them. */
export function benchPod(name: string, turn: number) {
  const container = (container: string, port: number) => ({
    name: container,
    image: `example.com/${container}:1.${container === 'app' ? turn : 0}`,
    args: ['--verbose', `--port=${port}`],
    ports: [{ name: 'http', containerPort: port, protocol: 'TCP' as const }],
    env: [
      { name: 'REGION', value: 'north' },
      { name: 'MODE', value: 'fast' },
      { name: 'NAME', value: container },
    ],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { cpu: '1', memory: '128Mi' } },
    livenessProbe: { httpGet: { path: '/healthz', port, scheme: 'HTTP' }, periodSeconds: 10, timeoutSeconds: 2 },
    volumeMounts: [{ name: 'config', mountPath: '/etc/app', readOnly: true }],
  });
  return {
    metadata: { name, labels: { app: 'bench', tier: 'web', release: 'stable' } },
    spec: {
      containers: [container('app', 8080), container('proxy', 8081), container('metrics', 8082)],
      volumes: [{ name: 'config', configMap: { name: 'settings' } }],
      nodeSelector: { zone: 'a' },
    },
  };
}
