import{a,b,c}from"./chunk-2FSQPRAG.js";import"./chunk-K3UQXRTB.js";import"./chunk-55C5OV5W.js";import"./chunk-BJJ3PQ36.js";import"./chunk-4FJQJHQU.js";c();export{a as AuditTabs,b as default};
