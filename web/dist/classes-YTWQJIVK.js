import{a,b,c}from"./chunk-CKA2X5HW.js";import"./chunk-XOAKMWO4.js";import"./chunk-QWSZXKWR.js";import"./chunk-BKMNMJ4E.js";c();export{a as ClassTabs,b as default};
