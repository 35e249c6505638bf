import{a,b,c}from"./chunk-DA4PAJDL.js";import"./chunk-DZU3DQNM.js";import"./chunk-PYJGMQIH.js";import"./chunk-VFESWWDY.js";import"./chunk-EFMXWPQZ.js";c();export{a as AuditTabs,b as default};
