import{a,b,c}from"./chunk-5OGXZ5SG.js";import"./chunk-7JZ6EZMT.js";import"./chunk-U3FFDRDY.js";import"./chunk-RZXHXUZY.js";c();export{a as ClassTabs,b as default};
