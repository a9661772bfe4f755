/** A typical pod manifest. */
export const manifest = {
  metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } },
  spec: {
    serviceAccountName: 'robot',
    hostNetwork: false,
    volumes: [
      { name: 'conf', configMap: { name: 'web', items: [{ key: 'a', path: 'a.conf', mode: 256 }] } },
      { name: 'tmp', emptyDir: { medium: 'Memory', sizeLimit: '64Mi' } },
      { name: 'scratch' },
      { name: 'host', hostPath: { path: '/var/log' } },
      {
        name: 'token',
        projected: {
          sources: [
            { serviceAccountToken: { path: 'token' } },
            { clusterTrustBundle: { signerName: 'example.com/s', path: 'ca.pem' } },
            { downwardAPI: { items: [{ path: 'ns', fieldRef: { fieldPath: 'metadata.namespace' } }] } },
          ],
        },
      },
    ],
    initContainers: [{ name: 'init', image: 'busybox', command: ['true'] }],
    containers: [
      {
        name: 'web',
        image: 'registry:5000/web:1.2',
        ports: [{ containerPort: 8080, name: 'http' }],
        env: [
          { name: 'NODE', valueFrom: { fieldRef: { fieldPath: 'spec.nodeName' } } },
          { name: 'EMPTY', value: '' },
        ],
        envFrom: [{ secretRef: { name: 'env' } }],
        resources: { limits: { cpu: '500m', memory: '0.5Gi' }, requests: { cpu: 0.1 } },
        livenessProbe: { httpGet: { port: 'http' } },
        lifecycle: { preStop: { httpGet: { port: 8080, path: '/bye' } } },
        volumeMounts: [
          { name: 'conf', mountPath: '/etc/web', readOnly: true },
          { name: 'token', mountPath: '/var/run/token' },
        ],
      },
    ],
  },
};
