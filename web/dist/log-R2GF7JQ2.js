import{a,b,c}from"./chunk-RXUWOZXU.js";import"./chunk-ONXLSIVV.js";import"./chunk-KLW7GCSI.js";import"./chunk-2PX7ZAGL.js";import"./chunk-5H5K2FAG.js";c();export{a as AuditTabs,b as default};
