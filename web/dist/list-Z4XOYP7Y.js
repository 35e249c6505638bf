import{a,b,c}from"./chunk-JW4ZNZZ4.js";import"./chunk-H37OGKKW.js";import"./chunk-PK5GDNQN.js";import"./chunk-LRDV5UUJ.js";import"./chunk-5XOGUIOE.js";c();export{a as GuardianTabs,b as default};
