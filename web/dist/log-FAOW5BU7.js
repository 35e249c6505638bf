import{a,b,c}from"./chunk-4H24CDWB.js";import"./chunk-PYUUOYH3.js";import"./chunk-LPSQZLXB.js";import"./chunk-2F7YUXKY.js";import"./chunk-UN3BADVL.js";c();export{a as AuditTabs,b as default};
