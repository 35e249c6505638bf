import{a,b,c}from"./chunk-QHQCBBDE.js";import"./chunk-WNBI4RZA.js";import"./chunk-XJT6U77W.js";import"./chunk-PSHI7NFB.js";import"./chunk-QNNZSPSD.js";c();export{a as AuditTabs,b as default};
