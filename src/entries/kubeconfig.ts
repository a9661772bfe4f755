export * from '../client/kubeconfig/index.js';
