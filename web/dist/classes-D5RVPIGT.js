import{a,b,c}from"./chunk-GR66LKHN.js";import"./chunk-IHE3JVEA.js";import"./chunk-PDPO64OM.js";import"./chunk-4SB6D7PQ.js";c();export{a as ClassTabs,b as default};
