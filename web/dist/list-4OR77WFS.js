import{a,b,c}from"./chunk-LX7TOJBS.js";import"./chunk-XUXG6FC5.js";import"./chunk-LPSQZLXB.js";import"./chunk-2F7YUXKY.js";import"./chunk-UN3BADVL.js";c();export{a as GuardianTabs,b as default};
