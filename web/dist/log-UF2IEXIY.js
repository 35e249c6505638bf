import{a,b,c}from"./chunk-ZJXYLHGK.js";import"./chunk-MUIBID2H.js";import"./chunk-IN5JTQXI.js";import"./chunk-RRBXWQHQ.js";import"./chunk-U3GKYPL2.js";c();export{a as AuditTabs,b as default};
